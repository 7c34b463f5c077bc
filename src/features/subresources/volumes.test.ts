import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Disk } from '#api/kubevirt/v1/domain/disk.ts'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import type { AggregatedAnswer } from '#runtime/aggregated/aggregated-group.ts'
import { changeVolumesOfGuest, changeVolumesOfMachine, type VolumeOptions } from './volumes.ts'

const volumes = [
  { name: 'root', containerDisk: { image: 'x' } },
  { name: 'fixed', persistentVolumeClaim: { claimName: 'fixed' } },
  { name: 'hot', persistentVolumeClaim: { claimName: 'hot-claim', hotpluggable: true } },
]
const disks = volumes.map(({ name }) => ({ name }))
const spec = { volumes, domain: { devices: { disks } } }

type Kind = 'VM' | 'VMI' | 'owned VMI' | 'starting VMI'

const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'u', controller: true }

function objectOf(kind: Kind): object {
  if (kind === 'VM') return { metadata: { name: 'web' }, spec: { template: { spec } } }
  const phase = kind === 'starting VMI' ? 'Scheduled' : 'Running'
  return { metadata: { name: 'web', ...(kind === 'owned VMI' ? { ownerReferences: [owner] } : {}) }, spec, status: { phase } }
}

/** Sends a request, and returns the answer with the object as it is afterwards. */
async function send(kind: Kind, verb: 'add' | 'remove', body: unknown, featureGates: readonly string[] = ['DeclarativeHotplugVolumes']) {
  let stored = objectOf(kind)
  const dry: boolean[] = []
  const client: VolumeOptions['client'] = {
    get: async () => stored as never,
    patch: async (resource, _key, patch, { dryRun = false } = {}) => {
      assert.equal(resource.plural, kind === 'VM' ? virtualMachines.plural : virtualMachineInstances.plural)
      assert.ok(patch.type === 'merge')
      dry.push(dryRun)
      const next = applyMergePatch(stored, patch.body) as object
      if (!dryRun) stored = next
      return next as never
    },
  }
  const handle = kind === 'VM' ? changeVolumesOfMachine : changeVolumesOfGuest
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = {
    caller: { username: 'bob', groups: [], extra: {} },
    namespace: 'ns',
    name: 'web',
    body: text,
    query: new URLSearchParams(),
  }
  const answer: AggregatedAnswer = await handle(
    { client, config: () => ({ featureGates }) },
    verb,
  )({
    ...request,
    signal: new AbortController().signal,
  })
  const now = stored as { spec: typeof spec & { template: { spec: typeof spec } } }
  return { code: answer.code, dry, spec: kind === 'VM' ? now.spec.template.spec : now.spec }
}

const disk: Partial<Disk> = { disk: { bus: 'scsi' }, serial: 's' }
const volumeSource = { persistentVolumeClaim: { claimName: 'new' } }
const add = { name: 'new', disk, volumeSource }
const conflictOn = (kind: Kind, why: string): string =>
  `Operation cannot be fulfilled on ${kind === 'VM' ? 'virtualmachine' : 'virtualmachineinstance'}.kubevirt.io "web": ${why}`

interface Refusal {
  readonly kinds?: readonly Kind[]
  readonly verb?: 'add' | 'remove'
  readonly body: unknown
  readonly gates?: readonly string[]
  readonly code: number
  readonly message: string | ((kind: Kind) => string)
}

const both: readonly Kind[] = ['VM', 'VMI']

const unpluggable: readonly (readonly [disk: object, why: string])[] = [
  [{ disk: { bus: 'sata' } }, "disk [new] requires bus to be 'scsi' or 'virtio'. [sata] is not permitted."],
  [{ disk: {} }, "disk [new] requires bus to be 'scsi' or 'virtio'. [] is not permitted."],
  [{ lun: { bus: 'virtio' } }, "LUN [new] requires bus to be 'scsi'. [virtio] is not permitted."],
  [{ cdrom: {} }, "[new] requires diskDevice of type 'disk' or 'lun' to be used."],
  [{ disk: { bus: 'scsi' }, dedicatedIOThread: true }, '[new] requires virtio bus for IOThreads.'],
]

/** KubeVirt's codes and words. */
const refusals: readonly Refusal[] = [
  { body: add, gates: [], code: 400, message: 'Enable DeclarativeHotplugVolumes or HotplugVolumes feature gate to use this API.' },
  { body: '', code: 400, message: 'AddVolumeOptions requires name to be set' },
  { body: {}, code: 400, message: 'AddVolumeOptions requires name to be set' },
  { body: { name: 'new' }, code: 400, message: 'AddVolumeOptions requires disk to not be nil' },
  { body: { name: 'new', disk }, code: 400, message: 'AddVolumeOptions requires VolumeSource to not be nil' },
  { verb: 'remove', body: {}, code: 400, message: 'RemoveVolumeOptions requires name to be set' },
  {
    body: { ...add, name: 'hot' },
    code: 409,
    message: (kind) => conflictOn(kind, 'Unable to add volume [hot] because volume with that name already exists'),
  },
  {
    body: { ...add, volumeSource: { dataVolume: { name: 'hot-claim' } } },
    code: 409,
    message: (kind) => conflictOn(kind, 'Unable to add volume source [hot-claim] because it already exists'),
  },
  {
    verb: 'remove',
    body: { name: 'none' },
    code: 409,
    message: (kind) => conflictOn(kind, 'Unable to remove volume [none] because it does not exist'),
  },
  {
    verb: 'remove',
    body: { name: 'fixed' },
    code: 409,
    message: (kind) => conflictOn(kind, 'Unable to remove volume [fixed] because it is not hotpluggable'),
  },
  { kinds: ['starting VMI'], body: add, code: 409, message: (kind) => conflictOn(kind, 'VMI is not running') },
  { kinds: ['owned VMI'], body: add, code: 400, message: 'VMI ns/web is owned by a VM' },
  ...unpluggable.map(([wrong, why]): Refusal => ({
    body: { ...add, disk: wrong },
    code: 422,
    message: (kind) =>
      `${kind === 'VM' ? 'VirtualMachine' : 'VirtualMachineInstance'}.kubevirt.io "web" is invalid: disk: Hotplug configuration for ${why}`,
  })),
]

suite('addvolume and removevolume refuse', () => {
  for (const { kinds = both, verb = 'add', body, gates, code, message } of refusals)
    for (const kind of kinds)
      test(`${verb} ${JSON.stringify(body)} of a ${kind}`, async () => {
        const refusal = await send(kind, verb, body, gates).catch((error: unknown) => error)
        assert.ok(refusal instanceof StatusError)
        assert.deepEqual([refusal.code, refusal.message], [code, typeof message === 'string' ? message : message(kind)])
      })
})

suite('addvolume and removevolume', () => {
  for (const kind of both) {
    test(`add to a ${kind} what can be removed again`, async () => {
      const { code, spec: now } = await send(kind, 'add', { ...add, disk: { ...disk, name: 'ignored' } })
      assert.equal(code, 202)
      assert.deepEqual(now.volumes.at(-1), { name: 'new', persistentVolumeClaim: { claimName: 'new', hotpluggable: true } })
      assert.deepEqual(now.domain.devices.disks.at(-1), { ...disk, name: 'new' })
    })

    for (const name of ['hot', 'hot-claim'])
      test(`remove from a ${kind} by the name of the volume or its claim: ${name}`, async () => {
        const { spec: now } = await send(kind, 'remove', { name })
        assert.deepEqual(
          [now.volumes, now.domain.devices.disks].map((list) => list.map((one) => one.name)),
          [
            ['root', 'fixed'],
            ['root', 'fixed'],
          ],
        )
      })

    test(`change nothing of a ${kind} in a dry run`, async () => {
      const { code, dry, spec: now } = await send(kind, 'add', { ...add, dryRun: ['All'] })
      assert.deepEqual([code, dry, now], [202, [true], spec])
    })
  }

  test('change the guest of a VM with the imperative gate', async () => {
    const { spec: now } = await send('owned VMI', 'add', add, ['HotplugVolumes'])
    assert.equal(now.volumes.length, 4)
  })
})
