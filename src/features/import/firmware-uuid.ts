import { uuidIn } from '#features/cluster-config/index.ts'

/** Name space of the firmware UUIDs that KubeVirt derives from the names of VMs. */
const nameSpace = Buffer.from('6a1a24a1406146078bf4a3963d0c5895', 'hex')

/** Returns the firmware UUID (version 5) that KubeVirt gives a guest whose VM sets none. */
export function firmwareUuidOf(vmName: string): string {
  return uuidIn(nameSpace, vmName)
}
