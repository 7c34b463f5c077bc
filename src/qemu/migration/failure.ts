/**
 * Why a QEMU that is gone has ended, from what it wrote to stderr. A target that refuses a stream
 * says so only there: the source hears that the connection broke. The first complaint is the cause,
 * those after it are its consequences.
 */
export function failureOf(stderr: string): string | undefined {
  const complaints = stderr
    .split('\n')
    .map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z\s+/, '').replace(/^\S*qemu-system-\S+:\s+/, ''))
    .filter((line) => line.trim() !== '' && !isNoise(line))
  return complaints[0]
}

/** What QEMU writes in good times, too. */
function isNoise(line: string): boolean {
  return /^(warning|info): |terminating on signal|^-\S+ .*: info: /.test(line)
}
