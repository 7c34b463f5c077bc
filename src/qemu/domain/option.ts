/**
 * `name=value`, or nothing when there is no value. Commas in values are doubled, as QEMU's option
 * syntax wants.
 */
export function option(name: string, value: string | number | undefined): string {
  return value === undefined ? '' : `${name}=${String(value).replaceAll(',', ',,')}`
}
