import { cdiConfigs } from '#api/cdi/v1beta1/resources.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { persistentVolumeClaims } from '#api/core/v1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine, VirtualMachineMemoryDumpRequest } from '#api/kubevirt/v1/virtual-machine.ts'
import { badRequest, conflict, isConflict, isNotFound, notFound, type ErrorSubject } from '#apimachinery/errors.ts'
import { formatQuantity, parseQuantity, quantityFromBytes, quantityToBytes } from '#apimachinery/quantity.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { configName, overheadOf } from '#features/storage-profile/index.ts'
import { defaultOverhead } from '#features/vmi/index.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { getGuest, guestSubject } from './guest.ts'
import { invalidBody, parseOptions } from './parse-body.ts'
import { getMachine, virtualMachineSubject } from './virtual-machine-subject.ts'
import { checkHotplugGates, type VolumeOptions } from './volumes.ts'

const claimSubject: ErrorSubject = { group: 'kubevirt.io', plural: 'persistentvolumeclaim' }

/** Attempts after conflicts with the controllers. */
const attempts = 5

const mebibyte = 1 << 20
/** Bytes of a dump beside the memory of the guest. */
const dumpOverheadBytes = 100n << 20n

/**
 * Handles `PUT virtualmachines/<name>/memorydump`: notes in the status of the VM which claim its
 * memory is to be dumped to. The VM controller carries it out.
 */
export function dumpMemory(options: VolumeOptions): AggregatedHandler {
  const { client } = options
  return async ({ namespace, name, body, signal }) => {
    checkHotplugGates(options)
    if (body.trim() === '') throw badRequest('Request with no body')
    const { claimName: sent = '' } = parseOptions(body)
    if (typeof sent !== 'string') throw invalidBody('claimName must be a text')
    return requested(client, { namespace, name, signal }, async (vm) => {
      const { memoryDumpRequest: current } = vm.status ?? {}
      const claimName = claimOf(vm, sent)
      const vmi = await getGuest(client, namespace, name)
      if (vmi.status?.phase !== 'Running') throw conflict(guestSubject, name, 'VMI is not running')
      await checkClaim(client, vmi, claimName)
      const problem = current ? pending(current, claimName) : undefined
      if (problem !== undefined) throw conflict(virtualMachineSubject, name, problem)
      return { claimName, phase: 'Associating' }
    })
  }
}

/** Handles `PUT virtualmachines/<name>/removememorydump`: the VM has no claim for dumps then. */
export function removeMemoryDump({ client }: Pick<VolumeOptions, 'client'>): AggregatedHandler {
  return async ({ namespace, name, signal }) =>
    requested(client, { namespace, name, signal }, async (vm) => {
      const { memoryDumpRequest: current } = vm.status ?? {}
      if (!current) throw conflict(virtualMachineSubject, name, `can't remove memory dump association for vm ${name}, no association found`)
      const { claimName, remove } = current
      if (remove === true) throw conflict(virtualMachineSubject, name, `memory dump remove request for pvc [${claimName}] already exists`)
      return { claimName, phase: 'Dissociating', remove: true }
    })
}

interface Target {
  readonly namespace: string
  readonly name: string
  readonly signal: AbortSignal
}

/** What a new request does not take over from the one before. */
const forgotten = { remove: null, startTimestamp: null, endTimestamp: null, fileName: null, message: null }

/** Decides again when a controller was faster. What is refused is not tried again. */
async function requested(
  client: VolumeOptions['client'],
  { namespace, name, signal }: Target,
  decide: (vm: VirtualMachine) => Promise<VirtualMachineMemoryDumpRequest>,
): Promise<{ code: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const vm = await getMachine(client, namespace, name, signal)
    const memoryDumpRequest = { ...forgotten, ...(await decide(vm)) }
    try {
      await patchStatus(client, virtualMachines, vm, { memoryDumpRequest })
      return { code: 202 }
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error
    }
  }
}

/** Returns the claim to dump to: that of the dump before, or the one that is asked for. Pure. */
export function claimOf({ metadata: { name = '' }, status }: Pick<VirtualMachine, 'metadata' | 'status'>, asked: string): string {
  const { claimName } = status?.memoryDumpRequest ?? {}
  if (claimName === undefined) {
    if (asked === '') throw badRequest('Memory dump requires claim name to be set')
    return asked
  }
  if (asked === '' || asked === claimName) return claimName
  const why = `can't request memory dump for pvc [${asked}] while pvc [${claimName}] is still associated as the memory dump pvc`
  throw conflict(virtualMachineSubject, name, why)
}

/** Returns why a VM takes no new request yet. Pure. */
export function pending({ phase }: VirtualMachineMemoryDumpRequest, claimName: string): string | undefined {
  if (phase === 'Dissociating') return `can't dump memory for pvc [${claimName}] a remove memory dump request is in progress`
  return phase === 'Completed' || phase === 'Failed' ? undefined : `memory dump request for pvc [${claimName}] already in progress`
}

async function checkClaim(client: Pick<Client, 'get'>, vmi: VirtualMachineInstance, name: string): Promise<void> {
  const { namespace = '' } = vmi.metadata
  let claim: PersistentVolumeClaim
  try {
    claim = await client.get(persistentVolumeClaims, { namespace, name })
  } catch (error) {
    throw isNotFound(error) ? notFound(claimSubject, name) : error
  }
  const config = await found(client.get(cdiConfigs, { namespace: '', name: configName }))
  const overhead = overheadOf(config?.status?.filesystemOverhead, claim.spec?.storageClassName, defaultOverhead)
  const problem = claimProblem(claim, vmi, overhead)
  if (problem !== undefined) throw conflict(claimSubject, name, problem)
}

/**
 * Returns why a claim cannot take the memory of a guest, in KubeVirt's words. The memory counts as
 * it is requested, by which virtctl sizes the claims that it makes: the guest may have more, and
 * the node agent looks at the space that there is. `overhead`: the share of its file system. Pure.
 */
export function claimProblem({ spec }: PersistentVolumeClaim, vmi: VirtualMachineInstance, overhead: number): string | undefined {
  if (spec?.volumeMode === 'Block') return 'pvc should be filesystem pvc'
  if (spec?.accessModes?.includes('ReadOnlyMany') === true) return "pvc access mode can't be read only"
  const memory = parseQuantity(vmi.spec.domain.resources?.requests?.['memory'] ?? '0')
  const bytes = Number(quantityToBytes(memory) + dumpOverheadBytes) * (1 + overhead)
  const needed = BigInt(Math.ceil(bytes / mebibyte) * mebibyte)
  const kilobytes = (quantityToBytes(parseQuantity(spec?.resources?.requests?.['storage'] ?? '0')) + 999n) / 1000n
  if (kilobytes * 1000n >= needed) return undefined
  const [has, wants] = [quantityFromBytes(kilobytes * 1000n, 'DecimalSI'), quantityFromBytes(needed, memory.format)]
  return `pvc size [${formatQuantity(has)}] should be bigger then [${formatQuantity(wants)}]`
}
