/** Whether what only the native launcher can do is tested: with a C compiler, and always in the full tests. */
import { findCompiler } from '../src/trial/compile.ts';

const isFull = process.env['ASSAY_TEST_FULL'] === '1';

export const NATIVE = isFull || (await findCompiler(process.env['PATH'] ?? '')) !== null;
