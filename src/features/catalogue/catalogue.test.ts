import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  VirtualMachineClusterInstancetype as InstancetypeSchema,
  VirtualMachineClusterPreference as PreferenceSchema,
} from '#api/instancetype/v1beta1/schema.generated.ts'
import { validateLabels, validateName } from '#apimachinery/names.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { prune } from '#apimachinery/structural/transform/prune.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { cloneJson } from '#apimachinery/json/json-clone.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import {
  expand,
  findUnmetRequirement,
  validateInstancetype,
  validatePreference,
  warnOfPreferencesWithoutEffect,
  type Instancetype,
  type Preference,
} from '#features/instancetype/index.ts'
import { catalogueInstancetypes } from './instancetypes.ts'
import { cataloguePreferences } from './preferences.ts'

const types = catalogueInstancetypes()
const preferences = cataloguePreferences()
const typeNamed = (name: string): (typeof types)[number]['spec'] | undefined => types.find(({ metadata }) => metadata.name === name)?.spec

suite('the catalogue', () => {
  test('has unique and valid names', () => {
    for (const objects of [types, preferences]) {
      const names = objects.map(({ metadata }) => metadata.name ?? '')
      assert.equal(new Set(names).size, names.length)
      for (const name of names) assert.deepEqual(validateName(name, 'dns-subdomain'), [], name)
    }
  })

  test('labels every object with valid values', () => {
    for (const { metadata, kind } of [...types, ...preferences]) {
      const { labels = {}, annotations = {} } = metadata
      assert.deepEqual(validateLabels(labels, 'metadata.labels'), [], metadata.name ?? '')
      const isType = kind === 'VirtualMachineClusterInstancetype'
      const told = ['vendor', 'common-instancetypes-version', ...(isType ? ['class', 'version', 'size', 'cpu', 'memory'] : ['os-type'])]
      for (const key of told) assert.ok((labels[`instancetype.kubevirt.io/${key}`] ?? '') !== '', `${metadata.name} ${key}`)
      const shown = isType
        ? ['instancetype.kubevirt.io/displayName', 'instancetype.kubevirt.io/description']
        : ['openshift.io/display-name', 'iconClass', 'tags']
      for (const key of shown) assert.ok((annotations[key] ?? '') !== '', `${metadata.name} ${key}`)
    }
  })

  test('is stored unchanged by the API server, so that it is not written again', () => {
    for (const [objects, schema] of [
      [types, InstancetypeSchema],
      [preferences, PreferenceSchema],
    ] as const) {
      for (const object of objects) {
        const sent = cloneJson(object)
        assert.deepEqual(validateStructural(sent, schema), [], object.metadata.name ?? '')
        assert.deepEqual(prune(applyDefaults(sent, schema), schema).value, object, object.metadata.name ?? '')
      }
    }
  })

  test('passes admission without errors or warnings', () => {
    for (const { spec, metadata } of types) assert.deepEqual(validateInstancetype(spec), { causes: [], warnings: [] }, metadata.name ?? '')
    for (const { spec, metadata } of preferences)
      assert.deepEqual(validatePreference(spec), { causes: [], warnings: [] }, metadata.name ?? '')
  })

  test('is consistent: each type with each preference sizes a VM, and each preference has an effect', () => {
    // Preferences of disks need one.
    const domain = { devices: { disks: [{ name: 'root', disk: {} }] } }
    const template = { spec: { domain, volumes: [{ name: 'root', emptyDisk: { capacity: '1Gi' } }] } }
    const vm = { metadata: { name: 'web', namespace: 'a' }, spec: { runStrategy: 'Halted', template } } as never
    for (const preference of preferences) {
      for (const type of types) {
        const { conflicts, vmi } = expand(vm, type as Instancetype, preference as Preference, defaultClusterConfig)
        assert.deepEqual(conflicts, [])
        assert.deepEqual(warnOfPreferencesWithoutEffect(preference.spec, vmi.spec), [], preference.metadata.name ?? '')
        // Admission refuses fewer vCPUs than a preference requires.
        if (type.spec.cpu.guest < (preference.spec.requirements?.cpu?.guest ?? 0)) continue
        const { sockets = 0, cores = 0, threads = 0 } = vmi.spec.domain.cpu ?? {}
        assert.equal(sockets * cores * threads, type.spec.cpu.guest, `${type.metadata.name} with ${preference.metadata.name}`)
        assert.equal(vmi.spec.domain.memory?.guest, type.spec.memory.guest)
      }
    }
  })

  test('has u1.2xlarge, which is large enough for every guest', () => {
    const instancetype = typeNamed('u1.2xlarge')
    for (const { spec, metadata } of preferences) {
      const provided = { spec: { domain: { devices: {} }, architecture: spec.preferredArchitecture ?? 'amd64' }, instancetype }
      assert.equal(findUnmetRequirement(provided, spec), undefined, metadata.name ?? '')
    }
  })
})

suite('the series', () => {
  const rows = [
    ['u1.nano', 1, '512Mi'],
    ['u1.2xmedium', 2, '4Gi'],
    ['u1.8xlarge', 32, '128Gi'],
    ['o1.medium', 1, '4Gi'],
    ['cx1.medium', 1, '2Gi'],
    ['cx1.medium1gi', 1, '2Gi'],
    ['m1.large', 2, '16Gi'],
    ['m1.8xlarge1gi', 32, '256Gi'],
    ['n1.medium', 4, '4Gi'],
    ['n1.large', 4, '8Gi'],
    ['n1.8xlarge', 64, '128Gi'],
    ['rt1.micro', 1, '1Gi'],
    ['d1.4xlarge', 16, '64Gi'],
  ] as const
  for (const [name, vcpus, memory] of rows) {
    test(`${name} has ${vcpus} vCPUs and ${memory}, as in KubeVirt`, () => {
      const spec = typeNamed(name)
      assert.deepEqual([spec?.cpu.guest, spec?.memory.guest], [vcpus, memory])
    })
  }

  test('have as many types as in KubeVirt', () => {
    const count = Object.groupBy(types, ({ metadata }) => metadata.name?.replace(/1\..*/, '') ?? '')
    const counts = Object.fromEntries(Object.entries(count).map(([series, members = []]) => [series, members.length]))
    assert.deepEqual(counts, { u: 10, o: 9, cx: 12, m: 10, n: 6, rt: 8, d: 10 })
  })

  test('require of the node only what their workload needs', () => {
    for (const { metadata, spec } of types) {
      const [series = ''] = metadata.name?.split('.') ?? []
      assert.equal(spec.cpu.dedicatedCPUPlacement === true, ['cx1', 'n1', 'rt1', 'd1'].includes(series), metadata.name ?? '')
      assert.equal(spec.memory.hugepages !== undefined, ['cx1', 'm1', 'n1', 'rt1'].includes(series), metadata.name ?? '')
      assert.equal(spec.cpu.realtime !== undefined, series === 'rt1', metadata.name ?? '')
      assert.equal(spec.memory.overcommitPercent, series === 'o1' ? 50 : undefined, metadata.name ?? '')
    }
  })
})

suite('the preferences', () => {
  test('give Windows Hyper-V enlightenments, a suitable clock, and a long grace period', () => {
    const windows = preferences.filter(({ metadata }) => metadata.labels?.['instancetype.kubevirt.io/os-type'] === 'windows')
    assert.equal(windows.length, 20)
    for (const { spec, metadata } of windows) {
      assert.equal(Object.keys(spec.features?.preferredHyperv ?? {}).length, 12, metadata.name ?? '')
      assert.deepEqual(spec.clock?.preferredTimer?.hyperv, {})
      assert.equal(spec.preferredTerminationGracePeriodSeconds, 3600)
      assert.equal(spec.devices?.preferredDiskBus, metadata.name?.endsWith('.virtio') === true ? 'virtio' : 'sata')
    }
  })

  test('do not request secure boot where it is impossible', () => {
    for (const { spec, metadata } of preferences) {
      if (spec.firmware?.preferredEfi?.secureBoot !== true) continue
      const { 'instancetype.kubevirt.io/os-type': osType } = metadata.labels ?? {}
      assert.equal(spec.preferredArchitecture, osType === 'windows' ? undefined : 'amd64', metadata.name ?? '')
      assert.deepEqual(spec.features?.preferredSmm, {}, metadata.name ?? '')
    }
  })
})
