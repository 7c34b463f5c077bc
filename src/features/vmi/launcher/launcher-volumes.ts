import { createHash } from 'node:crypto'

/** The emptyDir with the sockets that launcher and node agent share. */
export const privateVolume = 'private'

/** The emptyDir with the program that copies files of images. */
export const toolsVolume = 'tools'

/** The volume with kernel and initrd of an image. */
export const kernelBootVolume = 'kernel-boot'

/**
 * Returns the name of the pod volume of a guest's volume. Never one of those above, and short
 * enough for a pod.
 */
export function diskVolume(volume: string): string {
  return volumeName(`disk-${volume}`, volume)
}

/** Returns the name of the pod volume with the user data of a cloud-init volume. */
export function userDataVolume(volume: string): string {
  return volumeName(`userdata-${volume}`, volume)
}

/** Returns the name of the pod volume with the network data of a cloud-init volume. */
export function networkDataVolume(volume: string): string {
  return volumeName(`networkdata-${volume}`, volume)
}

/** Returns the name of the pod volume of a Secret with credentials. */
export function credentialVolume(secretName: string): string {
  return volumeName(`credentials-${secretName.replaceAll('.', '-')}`, secretName)
}

function volumeName(name: string, volume: string): string {
  // Volumes without a disk are named by their claim, which may have dots.
  if (name.length <= 63 && name.endsWith(volume) && !name.includes('.')) return name
  const hash = createHash('sha256').update(volume).digest('hex').slice(0, 10)
  return `${name.slice(0, 52).replaceAll('.', '-')}-${hash}`
}
