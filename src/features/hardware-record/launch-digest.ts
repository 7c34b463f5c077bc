import { createHash } from 'node:crypto'
import { fingerprintVersion, visibleSettings } from '#qemu/index.ts'

/** What decides about a guest's hardware besides its command line. */
export interface LaunchPlace {
  /** Version of QEMU. */
  readonly version: string
  readonly accelerator: string
  /** Some models of CPUs are made of these. */
  readonly cpuFeatures: readonly string[]
}

/**
 * A digest of all that hardware follows from: what is launched twice with the same has the same
 * hardware both times, and nobody has to build it to know. What is launched with something else may
 * still have the same.
 */
export function launchDigest(args: readonly string[], { version, accelerator, cpuFeatures }: LaunchPlace): string {
  const settings = Object.entries(visibleSettings(args)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const content = JSON.stringify([fingerprintVersion, version, accelerator, cpuFeatures.toSorted(), settings])
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}
