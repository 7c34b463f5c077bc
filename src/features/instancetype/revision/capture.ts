import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { InstancetypeMatcher, InstancetypeStatusRef, PreferenceMatcher, VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { createMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { TransportError, type Client } from '#client/client.ts'
import { findInstancetype, findPreference } from '../find/find.ts'
import type { Found, Lookup } from '../find/ports.ts'
import type { Instancetype, Preference } from '../types.ts'
import { storeRevision } from './store.ts'

/** Which step of a capture failed, and why. */
export class CaptureFailed extends Error {
  override readonly name = 'CaptureFailed'
  readonly reason: 'FailedFindInstancetype' | 'FailedFindPreference' | 'FailedCreate'
  constructor(reason: CaptureFailed['reason'], message: string, cause: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** What a VM's matchers stand for, before anything is pinned. */
export interface InForce {
  readonly instancetype: Found<Instancetype> | undefined
  readonly preference: Found<Preference> | undefined
}

/** Finds what is in force for a VM. @throws CaptureFailed, whose message is the API's */
export async function findInForce(lookup: Lookup, vm: VirtualMachine): Promise<InForce> {
  const instancetype = await findInstancetype(lookup, vm).catch((error: unknown) => fail('FailedFindInstancetype', messageOf(error), error))
  const preference = await findPreference(lookup, vm).catch((error: unknown) => fail('FailedFindPreference', messageOf(error), error))
  return { instancetype, preference }
}

/** An API that cannot be reached says nothing about the VM. */
function fail(reason: CaptureFailed['reason'], message: string, cause: unknown): never {
  if (cause instanceof TransportError) throw cause
  throw new CaptureFailed(reason, message, cause)
}

/**
 * Pins what is in force in ControllerRevisions and names them in the VM's status, in one patch. Gives the VM as it is afterwards. Every step can be
 * repeated: revisions are named by content, and the patch is left out when the status says all this already. @throws CaptureFailed
 */
export async function capture(
  client: Pick<Client, 'create' | 'get' | 'patch'>,
  vm: VirtualMachine,
  { instancetype, preference }: InForce,
): Promise<VirtualMachine> {
  const old = { instancetypeRef: vm.status?.instancetypeRef ?? undefined, preferenceRef: vm.status?.preferenceRef ?? undefined }
  const status = createMergePatch(old, {
    instancetypeRef: await refFor(client, vm, vm.spec.instancetype, instancetype),
    preferenceRef: await refFor(client, vm, vm.spec.preference, preference),
  })
  if (status === undefined) return vm
  // The resourceVersion makes a lost race a conflict, also with a later VM of the same name.
  const { name = '', namespace = '', resourceVersion } = vm.metadata
  const body = { metadata: { resourceVersion }, status }
  return client.patch(virtualMachines, { namespace, name }, { type: 'merge', body }, { subresource: 'status' })
}

async function refFor(
  client: Pick<Client, 'create' | 'get'>,
  vm: VirtualMachine,
  matcher: InstancetypeMatcher | PreferenceMatcher | undefined,
  found: Found<Instancetype | Preference> | undefined,
): Promise<InstancetypeStatusRef | undefined> {
  if (matcher === undefined || found === undefined) return undefined
  const { name, kind, inferFromVolume, inferFromVolumeFailurePolicy } = matcher
  const revision = found.revision?.metadata.name ?? (await store(client, vm, found.object))
  return {
    ...(name === undefined ? {} : { name }),
    ...(kind === undefined ? {} : { kind }),
    ...(inferFromVolume === undefined ? {} : { inferFromVolume }),
    ...(inferFromVolumeFailurePolicy === undefined ? {} : { inferFromVolumeFailurePolicy }),
    controllerRevisionRef: { name: revision },
  }
}

async function store(client: Pick<Client, 'create' | 'get'>, vm: VirtualMachine, object: Instancetype | Preference): Promise<string> {
  try {
    return await storeRevision(client, vm, object)
  } catch (error) {
    const message = `error encountered while storing instancetype.kubevirt.io controllerRevisions: ${messageOf(error)}`
    return fail('FailedCreate', message, error)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
