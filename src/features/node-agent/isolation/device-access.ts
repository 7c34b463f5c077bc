import { stat } from 'node:fs/promises'
import type { DeviceNode } from '#features/launcher/index.ts'

/** What a user without rights needs to open a device of the machine. */
export interface DeviceAccess {
  readonly group?: number
  /** A node of its own. */
  readonly node?: DeviceNode
}

/** Facts of a device, as {@link stat} returns them. */
export interface DeviceFacts {
  readonly mode: number
  readonly gid: number
  readonly rdev: number
}

const readAndWrite = 0o6

/**
 * Decides how a user opens a device: by its mode, by its group, as /dev/kvm on most machines, or
 * by a node of its own. No permission of the machine is changed. Pure.
 */
export function accessTo(path: string, { mode, gid, rdev }: DeviceFacts): DeviceAccess {
  if ((mode & readAndWrite) === readAndWrite) return {}
  const groupBits = (mode >> 3) & readAndWrite
  return groupBits === readAndWrite && gid !== 0 ? { group: gid } : { node: nodeOf(path, rdev, 'character') }
}

/** Returns the access to a device of the machine; none when there is no such device. */
export async function deviceAccess(path: string): Promise<DeviceAccess> {
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? {} : accessTo(path, found)
}

/** Returns a node for a device number, in Linux's notation. Pure. */
export function nodeOf(path: string, device: number, type: DeviceNode['type']): DeviceNode {
  const bits = BigInt(device)
  const major = ((bits >> 8n) & 0xfffn) | ((bits >> 32n) & 0xffff_f000n)
  const minor = (bits & 0xffn) | ((bits >> 12n) & 0xffff_ff00n)
  return { path, type, major: Number(major), minor: Number(minor) }
}
