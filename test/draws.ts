/** With how many draws properties are tried. */
const FULL = process.env['ASSAY_TEST_FULL'] === '1';

/** So many in the full tests, and a quarter of them in the quick ones: draws are the same in every run, so that more runs find no more. */
export function draws(full: number): number {
  return FULL ? full : Math.ceil(full / 4);
}
