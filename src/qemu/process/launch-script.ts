/** Quotes one word for a POSIX shell. */
export function shellQuote(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/**
 * How much guests yield to what controls them. A guest that boots takes every CPU it gets; on a machine without room the control plane would
 * answer in seconds. It is what CPU shares do where there are cgroups.
 */
const NICENESS = 5

/** A POSIX shell script that becomes QEMU: same pid, no wrapper left. */
export function launchScript(binary: string, args: readonly string[]): string {
  return `exec nice -n ${NICENESS} ${[binary, ...args].map(shellQuote).join(' \\\n  ')}\n`
}
