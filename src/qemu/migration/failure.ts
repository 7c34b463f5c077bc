/**
 * Returns the reason why a QEMU has ended, from its stderr. A target that refuses a stream reports
 * the reason only there: the source sees a broken connection. The first message is the cause, later
 * ones are consequences.
 */
export function failureOf(stderr: string): string | undefined {
  const complaints = stderr
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z\s+/, '').replace(/^\S*qemu-system-\S+:\s+/, ''))
    .filter((line) => line.trim() !== '' && !isNoise(line))
  return complaints[0]
}

/** Messages that QEMU also writes without a failure. */
function isNoise(line: string): boolean {
  return /^(warning|info): |terminating on signal|^-\S+ .*: info: /.test(line)
}
