/** A reporter for the full tests, which have all that they need: there a skipped test is a failure. */
import type { Reporter, TestCase } from 'vitest/node';

export class SkipsFail implements Reporter {
  readonly #skipped: string[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.result().state === 'skipped') this.#skipped.push(`${test.module.moduleId}: ${test.fullName}`);
  }

  onTestRunEnd(): void {
    if (this.#skipped.length === 0) return;
    process.stderr.write(`\nSkipped, which counts as failed here:\n  ${this.#skipped.join('\n  ')}\n`);
    process.exitCode = 1;
  }
}
