import { createHash } from 'node:crypto'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import type { VirtualMachineInstance, VirtualMachineInstanceSpec } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Ports } from '../ports.ts'

/** On a claim: the VM whose firmware and TPM state it holds. KubeVirt's label. */
const claimLabel = 'persistent-state-for'
/** Half would be enough; few storage classes provision less. */
const claimSize = '10Mi'

/** Reports whether the guest has firmware or a TPM with state that survives restarts. */
export function wantsPersistentState({ domain }: VirtualMachineInstanceSpec): boolean {
  const { tpm } = domain.devices
  return domain.firmware?.bootloader?.efi?.persistent === true || (tpm?.persistent === true && tpm.enabled !== false)
}

/**
 * Returns the claim's name. Derived from the VM's name, so that a retry after a crash finds the
 * same claim.
 */
export function persistentStateClaimName(vmiName: string): string {
  const name = `persistent-state-for-${vmiName}`
  return name.length <= 253 ? name : `${name.slice(0, 242)}-${createHash('sha256').update(vmiName).digest('hex').slice(0, 10)}`
}

/** Builds the claim, owned by the VM, or by the VMI if there is none. */
export function persistentStateClaim(vmi: VirtualMachineInstance): PersistentVolumeClaim {
  const { name = '', namespace = '' } = vmi.metadata
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: persistentStateClaimName(name),
      namespace,
      labels: { [claimLabel]: name.slice(0, 63).replace(/[-.]+$/, '') },
      ownerReferences: [{ ...keeperOf(vmi), controller: true, blockOwnerDeletion: true }],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: claimSize } } },
  }
}

function keeperOf({ metadata }: VirtualMachineInstance): { apiVersion: string; kind: string; name: string; uid: string } {
  const { name = '', uid = '' } = metadata
  const owner = controllerOf({ metadata })
  if (owner === undefined) return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name, uid }
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name, uid: owner.uid }
}

/**
 * The claim's name is taken by another owner, usually an earlier VM of the same name; the claim is
 * deleted with it.
 */
export class ClaimTaken extends Error {
  override readonly name = 'ClaimTaken'
}

/** Creates the claim of a guest that needs one. @throws ClaimTaken: try again later */
export async function ensurePersistentState({ client }: Pick<Ports, 'client'>, vmi: VirtualMachineInstance): Promise<void> {
  if (!wantsPersistentState(vmi.spec)) return
  const wanted = persistentStateClaim(vmi)
  const { name = '', namespace = '' } = wanted.metadata
  try {
    await client.create(persistentVolumeClaims, wanted)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const found = await client.get(persistentVolumeClaims, { namespace, name })
    const owner = controllerOf(found)?.uid
    if (owner === wanted.metadata.ownerReferences?.[0]?.uid) return
    if (owner === undefined && isLeftToUs(found)) return adopt(client, found, wanted)
    throw new ClaimTaken(`Claim "${name}" belongs to another than ${keeperOf(vmi).kind} "${keeperOf(vmi).name}"`, { cause: error })
  }
}

/**
 * Reports whether the claim may be adopted: labelled as ours, without an owner. It comes from a
 * backup, or from a VM that was deleted with `--cascade=orphan`.
 */
function isLeftToUs({ metadata }: PersistentVolumeClaim): boolean {
  return metadata.labels?.[claimLabel] !== undefined && !isBeingDeleted({ metadata })
}

/** Adds the owner, so that the claim is deleted with the VM. */
async function adopt(client: Ports['client'], claim: PersistentVolumeClaim, wanted: PersistentVolumeClaim): Promise<void> {
  const ownerReferences = [...(claim.metadata.ownerReferences ?? []), ...(wanted.metadata.ownerReferences ?? [])]
  await patchIfUnchanged(client, persistentVolumeClaims, claim, { metadata: { ownerReferences } })
}
