import { createHash } from 'node:crypto'
import { fingerprintVersion, visibleSettings } from '#qemu/index.ts'

/** Inputs of the hardware besides the command line. */
export interface LaunchPlace {
  /** QEMU version. */
  readonly version: string
  readonly accelerator: string
  /** `host` and `max` expand to these. */
  readonly cpuFeatures: readonly string[]
}

/**
 * Returns a digest of all inputs of the hardware. Equal digests mean equal hardware, without a
 * rehearsal; different digests may still mean equal hardware.
 */
export function launchDigest(args: readonly string[], { version, accelerator, cpuFeatures }: LaunchPlace): string {
  const settings = Object.entries(visibleSettings(args)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const content = JSON.stringify([fingerprintVersion, version, accelerator, cpuFeatures.toSorted(), settings])
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}
