/** The numbers of the CPUs in a list as the kernel writes it: `0-3,8`. */
export function parseCpuList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first = '', last = first] = range.split('-');
    if (first === '') return [];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => Number(first) + index);
  });
}
