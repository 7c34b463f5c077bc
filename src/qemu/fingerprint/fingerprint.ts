import { createHash } from 'node:crypto'

/**
 * Guest-visible hardware, and nothing else: no paths, no ids of QEMU, no addresses that the guest
 * has chosen. Each fact has a searchable name, such as `device dev-root: serial`. The same guest
 * has the same facts in each release of QEMU.
 */
export interface Fingerprint {
  /**
   * Bumped when the same hardware is written down differently: fingerprints of different versions
   * cannot be compared.
   */
  readonly version: number
  readonly facts: Readonly<Record<string, string>>
}

/** Version of the fact format. */
export const fingerprintVersion = 1

/** A difference between two guests, or one guest at two times. */
export interface Change {
  /** Name of the fact, or of the setting. */
  readonly name: string
  readonly before?: string
  readonly after?: string
  /** Reports whether the guest can see it. */
  readonly visible: boolean
}

/** Formats one fact per line, sorted, for output and `diff`. */
export function fingerprintText({ version, facts }: Fingerprint): string {
  const lines = Object.keys(facts)
    .toSorted()
    .map((name) => `${name} = ${facts[name] ?? ''}`)
  return `${[`fingerprint ${version}`, ...lines].join('\n')}\n`
}

/** Equal if and only if the texts are. */
export function fingerprintHash(fingerprint: Fingerprint): string {
  return createHash('sha256').update(fingerprintText(fingerprint)).digest('hex')
}

/** Returns the differences of two fingerprints. All of them are guest-visible. */
export function compareFingerprints(before: Fingerprint, after: Fingerprint): Change[] {
  return compareFacts(before.facts, after.facts, () => true)
}

/** Differences of two sets of facts, by name. */
export function compareFacts(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  isVisible: (name: string) => boolean,
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names
    .filter((name) => before[name] !== after[name])
    .map((name): Change => {
      const was = before[name]
      const is = after[name]
      return { name, ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }), visible: isVisible(name) }
    })
}
