import { createHash } from 'node:crypto';

/** SHA-256 in hexadecimal digits. */
export function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
