/** The order of the files of tests: those that start programs take longest, and one of them at the end would run alone. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What is slow, by its path; it is told before any run could have shown it. */
const STARTING = /\/test\/end-to-end\/|\/src\/(?:arms|bundle|trial)\//;

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isStarting = ({ moduleId }: TestSpecification) => STARTING.test(moduleId);
    return [...sorted.filter(isStarting), ...sorted.filter((file) => !isStarting(file))];
  }
}
