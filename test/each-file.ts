/** Before each file of tests: files share processes, and what one has set must not reach the next. */
import fc from 'fast-check';

fc.resetConfigureGlobal();
