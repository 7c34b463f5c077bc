import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import * as hardware from '#api/instancetype/v1beta1/resources.ts'
import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { findCondition, isTrue } from '#apimachinery/conditions.ts'
import type { Condition, KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { defaultClusterConfig, toClusterConfig } from '#features/cluster-config/index.ts'
import { changesBetween, refreshAnnotation } from '#features/instancetype/index.ts'
import { Fleet } from './fleet.fixture.ts'
import { plan } from './plan.ts'
import type { Change, Manifest, Plan, PlannedVm } from './types.ts'
import { repeats } from '#test/effort.ts'

const size = repeats({ default: 250, long: 1_000 })
const team = (index: number): string => `team-${index % 5}`
const vmName = (index: number): string => `vm-${index}`

/**
 * One of a few hundred different VMs: sizes, pins, own fields that conflict with some types, halted
 * and running, one in fifty naming a missing object.
 */
function vmAt(index: number): KubeObject {
  const namespaced = index % 7 === 0
  const names = ['small', 'medium', 'large']
  const instancetype =
    index % 10 === 9
      ? undefined
      : { name: index % 50 === 3 ? 'missing' : (names[index % 3] ?? ''), ...(namespaced ? { kind: 'virtualmachineinstancetype' } : {}) }
  const preference = index % 4 === 0 ? { name: 'linux' } : undefined
  const domain = {
    ...(instancetype === undefined ? { cpu: { cores: 2 }, memory: { guest: '1Gi' } } : {}),
    ...(index % 20 === 5 ? { ioThreadsPolicy: 'auto' } : {}),
    ...(index % 6 === 1 ? { machine: { type: 'pc-q35-9.0' } } : {}),
    devices: index % 8 === 0 ? { disks: [{ name: 'root', disk: { bus: 'scsi' } }] } : {},
  }
  const spec = {
    domain,
    volumes: [{ name: 'root', containerDisk: { image: 'guest:v1' } }],
    ...(index % 9 === 0 ? { nodeSelector: { rack: 'a' } } : {}),
  }
  return {
    metadata: { name: vmName(index), namespace: team(index), labels: { wave: String(index % 4) } },
    spec: {
      runStrategy: index % 3 === 0 ? 'Halted' : 'Always',
      ...(instancetype === undefined ? {} : { instancetype }),
      ...(preference === undefined ? {} : { preference }),
      template: { spec },
    },
  } as KubeObject
}

const typeSpecs: Readonly<Record<string, object>> = {
  small: { cpu: { guest: 1 }, memory: { guest: '1Gi' } },
  medium: { cpu: { guest: 2 }, memory: { guest: '2Gi' } },
  large: { cpu: { guest: 4 }, memory: { guest: '4Gi' } },
}

function put(fleet: Fleet, resource: ResourceType<KubeObject>, name: string, spec: object, namespace?: string): void {
  const old = fleet.get(resource, namespace ?? '', name)
  fleet.put(resource, {
    ...old,
    metadata: { ...old?.metadata, name, ...(namespace === undefined ? {} : { namespace }) },
    spec,
  } as KubeObject)
}

async function buildFleet(): Promise<Fleet> {
  const fleet = new Fleet(defaultClusterConfig)
  for (const [name, spec] of Object.entries(typeSpecs)) {
    put(fleet, hardware.virtualMachineClusterInstancetypes, name, spec)
    for (let index = 0; index < 5; index += 1) put(fleet, hardware.virtualMachineInstancetypes, name, spec, team(index))
  }
  put(fleet, hardware.virtualMachineClusterPreferences, 'linux', { devices: { preferredDiskBus: 'virtio' } })
  for (let index = 0; index < size - 20; index += 1) fleet.put(virtualMachines, vmAt(index))
  await fleet.settle()
  // One half of the fleet has been captured before this edit, and twenty VMs are so new that no
  // controller has seen them.
  put(fleet, hardware.virtualMachineClusterInstancetypes, 'small', { cpu: { guest: 1 }, memory: { guest: '1536Mi' } })
  for (let index = size - 20; index < size; index += 1) fleet.put(virtualMachines, vmAt(index))
  return fleet
}

interface Step {
  /** By the size of the fleet: a fleet to which nothing happens does not pass. */
  readonly expected: Readonly<Record<number, Plan['summary']>>
  readonly changes: (fleet: Fleet) => Change[]
  /**
   * A new configuration reaches guests at their next start, but no condition of a VM requests it,
   * here as in KubeVirt.
   */
  readonly isSilent?: true
  /** The same, done by hand. */
  readonly make: (fleet: Fleet) => void
}

function apply(resource: ResourceType<KubeObject>, object: object): Change {
  const apiVersion = `${resource.group}/${resource.version}`
  return { kind: 'apply', manifest: { apiVersion, kind: resource.kind, ...object } as unknown as Manifest }
}

function edit(fleet: Fleet, index: number, change: (vm: VirtualMachine) => VirtualMachine): void {
  const vm = fleet.get(virtualMachines, team(index), vmName(index))
  if (vm !== undefined) fleet.put(virtualMachines, change(vm) as KubeObject)
}

const switchedVms = Array.from({ length: 0.12 * size }, (_, index) => index * 8)
const refreshedVms = Array.from({ length: 0.25 * size }, (_, index) => index * 4 + 1)
const editedVms = Array.from({ length: 0.06 * size }, (_, index) => index * 16 + 2)
const biggerLarge = { cpu: { guest: 8 }, memory: { guest: '8Gi' }, ioThreadsPolicy: 'auto', nodeSelector: { rack: 'b' } }
const machineTypes = { architectureConfiguration: { amd64: { machineType: 'pc-q35-10.1' } }, evictionStrategy: 'LiveMigrate' }

const steps: Readonly<Record<string, Step>> = {
  'an edited cluster instance type': {
    expected: {
      250: { blocked: 0, conflict: 0, restart: 0, live: 5, unchanged: 58 },
      1000: { blocked: 0, conflict: 0, restart: 0, live: 5, unchanged: 247 },
    },
    changes: () => [apply(hardware.virtualMachineClusterInstancetypes, { metadata: { name: 'large' }, spec: biggerLarge })],
    make: (fleet) => put(fleet, hardware.virtualMachineClusterInstancetypes, 'large', biggerLarge),
  },
  'refreshed VMs': {
    expected: {
      250: { blocked: 0, conflict: 4, restart: 8, live: 12, unchanged: 38 },
      1000: { blocked: 0, conflict: 15, restart: 38, live: 51, unchanged: 146 },
    },
    changes: () => refreshedVms.map((index) => ({ kind: 'refresh', vm: { namespace: team(index), name: vmName(index) } })),
    make: (fleet) => {
      for (const index of refreshedVms) {
        edit(fleet, index, (vm) => {
          const annotations = { ...vm.metadata.annotations, [refreshAnnotation]: '2026-01-01T00:00:00Z' }
          return { ...vm, metadata: { ...vm.metadata, annotations } }
        })
      }
    },
  },
  'switched VMs': {
    expected: {
      250: { blocked: 6, conflict: 3, restart: 7, live: 6, unchanged: 8 },
      1000: { blocked: 24, conflict: 10, restart: 27, live: 27, unchanged: 32 },
    },
    changes: () =>
      switchedVms.flatMap((index) => {
        const vm = { namespace: team(index), name: vmName(index) }
        return [{ kind: 'switch', vm, to: { family: 'instancetype', name: index % 40 === 0 ? 'gone' : 'large' } }]
      }),
    make: (fleet) => {
      for (const index of switchedVms) {
        edit(fleet, index, (vm) => {
          const { kind } = vm.spec.instancetype ?? {}
          const instancetype = { name: index % 40 === 0 ? 'gone' : 'large', ...(kind === undefined ? {} : { kind }) }
          return { ...vm, spec: { ...vm.spec, instancetype } }
        })
      }
    },
  },
  'a missing instance type and edited VMs': {
    expected: {
      250: { blocked: 0, conflict: 0, restart: 6, live: 13, unchanged: 0 },
      1000: { blocked: 0, conflict: 0, restart: 20, live: 57, unchanged: 0 },
    },
    changes: () => [
      apply(hardware.virtualMachineClusterInstancetypes, { metadata: { name: 'missing' }, spec: typeSpecs['small'] }),
      ...editedVms.map((index) =>
        apply(virtualMachines as ResourceType<KubeObject>, {
          metadata: { name: vmName(index), namespace: team(index) },
          spec: { template: { spec: { nodeSelector: { rack: 'c' }, ...(index % 32 === 2 ? { hostname: `renamed-${index}` } : {}) } } },
        }),
      ),
    ],
    make: (fleet) => {
      put(fleet, hardware.virtualMachineClusterInstancetypes, 'missing', typeSpecs['small'] ?? {})
      for (const index of editedVms) {
        edit(fleet, index, (vm) => {
          const spec = { ...vm.spec.template.spec, nodeSelector: { ...vm.spec.template.spec.nodeSelector, rack: 'c' } }
          const renamed = index % 32 === 2 ? { ...spec, hostname: `renamed-${index}` } : spec
          return { ...vm, spec: { ...vm.spec, template: { ...vm.spec.template, spec: renamed } } }
        })
      }
    },
  },
  'another cluster configuration': {
    isSilent: true,
    expected: {
      250: { blocked: 0, conflict: 0, restart: 157, live: 79, unchanged: 14 },
      1000: { blocked: 0, conflict: 0, restart: 633, live: 315, unchanged: 52 },
    },
    changes: () => [
      apply(kubeVirts as ResourceType<KubeObject>, {
        metadata: { name: 'kubevirt', namespace: 'kubevirt' },
        spec: { configuration: machineTypes },
      }),
    ],
    make: (fleet) => {
      const kubevirt = { metadata: { name: 'kubevirt', namespace: 'kubevirt' }, spec: { configuration: machineTypes } }
      fleet.put(kubeVirts, kubevirt as KubeObject)
      fleet.config = toClusterConfig(kubevirt)
    },
  },
}

type Guests = ReadonlyMap<string, VirtualMachineInstance | undefined>

/** The part of a guest that its VM decides; its generation changes with any edit. */
function ownPart(vmi: VirtualMachineInstance): object {
  const { 'kubevirt.io/vm-generation': _, ...annotations } = vmi.metadata.annotations ?? {}
  return { metadata: { labels: vmi.metadata.labels, annotations }, spec: vmi.spec }
}

/** The values that differ, as a plan would write them. */
function differences(old: VirtualMachineInstance, wanted: VirtualMachineInstance): Map<string, readonly [unknown, unknown]> {
  return new Map(changesBetween(ownPart(old), ownPart(wanted)).map((change) => [change.path, [change.old, change.new]]))
}

function waitsForRestart(vm: VirtualMachine | undefined): boolean {
  return isTrue((vm?.status?.conditions ?? []) as readonly Condition[], 'RestartRequired')
}

function failureOf(vm: VirtualMachine | undefined): string | undefined {
  return findCondition((vm?.status?.conditions ?? []) as readonly Condition[], 'Failure')?.message
}

suite(`plan() of ${size} VMs`, () => {
  let fleet: Fleet
  /**
   * The fleet without the change, and its expected guests. The result of one change is the start of
   * the next one.
   */
  let settled: Fleet
  let was: Guests
  before(async () => {
    fleet = await buildFleet()
    settled = fleet.fork()
    await settled.settle()
    was = await settled.startedAnew()
  })
  for (const [name, step] of Object.entries(steps)) {
    test(`predicts the real effect: ${name}`, async () => {
      const predicted = await plan(fleet.cluster, step.changes(fleet))
      assert.deepEqual(predicted.summary, step.expected[size])
      const changed = fleet.fork()
      step.make(changed)
      await changed.settle()
      const is = await changed.startedAnew()
      compareWithReality(predicted, { was, is, unchanged: settled, changed, isSilent: step.isSilent === true })
      fleet = settled = changed
      was = is
    })
  }
})

interface Reality {
  readonly was: Guests
  readonly is: Guests
  readonly unchanged: Fleet
  readonly changed: Fleet
  readonly isSilent: boolean
}

function compareWithReality(predicted: Plan, { was, is, unchanged, changed, isSilent }: Reality): void {
  const planned = new Map(predicted.virtualMachines.map((vm) => [`${vm.namespace}/${vm.name}`, vm]))
  for (const [key, guest] of is) {
    const [namespace = '', name = ''] = key.split('/')
    const vm = planned.get(key)
    const old = was.get(key)
    const failure = failureOf(changed.get(virtualMachines, namespace, name))
    const failureBefore = failureOf(unchanged.get(virtualMachines, namespace, name))
    if (failure !== undefined && failure !== failureBefore) {
      assert.ok(vm?.effect === 'conflict' || vm?.effect === 'blocked', key)
      // The message of a condition begins with the failed action.
      assert.ok(failure.endsWith(vm.reason ?? 'no reason'), `${key}: ${failure}, not ${vm.reason}`)
    } else if (old === undefined && guest !== undefined) {
      assert.equal(vm?.effect, 'live', key)
    } else {
      const real = old === undefined || guest === undefined ? new Map() : differences(old, guest)
      assert.deepEqual(foretold(vm), real, key)
      assert.equal(vm === undefined || vm.effect === 'unchanged', real.size === 0, key)
      if (vm !== undefined && real.size > 0 && vm.running && !isSilent) {
        assert.equal(vm.effect === 'restart', waitsForRestart(changed.get(virtualMachines, namespace, name)), key)
      }
    }
  }
}

function foretold(vm: PlannedVm | undefined): Map<string, readonly [unknown, unknown]> {
  return new Map(vm?.fields.map((field) => [field.path, [field.old, field.new]]) ?? [])
}
