import { createHash } from 'node:crypto'

/** The emptyDir in which the launcher and the node agent meet. */
export const privateVolume = 'private'

/** The image volume with kernel and initrd. */
export const kernelBootVolume = 'kernel-boot'

/**
 * Name of the pod volume behind a volume of the guest. Never one of the two above, and never too
 * long for a pod.
 */
export function diskVolume(volume: string): string {
  const name = `disk-${volume}`
  if (name.length <= 63) return name
  const hash = createHash('sha256').update(volume).digest('hex').slice(0, 10)
  return `${name.slice(0, 52)}-${hash}`
}
