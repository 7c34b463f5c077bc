/**
 * Prefix of the ids of plugged disks. The next start of the guest does not know them, so that they
 * are no part of its recorded hardware.
 */
export const pluggedPrefix = 'hot-'

/** Id of the SCSI controller that is plugged in with a disk. */
export const pluggedController = 'hotscsi0'

/** Reports whether a device was plugged in with a volume. */
export function isPluggedStorage(id: string): boolean {
  return id.startsWith(pluggedPrefix) || id === pluggedController
}
