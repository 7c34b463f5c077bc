import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { schemas as coreSchemas } from '#api/core/v1/schema.generated.ts'
import { virtualMachineInstanceFieldsNotActedOn } from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { schemas } from '#api/kubevirt/v1/schema.generated.ts'
import { validateSchema } from '#apimachinery/structural/definition/validate-schema.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { prune } from '#apimachinery/structural/transform/prune.ts'
import type { StructuralSchema } from '#apimachinery/structural/schema.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { parse, parseAllDocuments } from 'yaml'
import { customKinds } from './custom-kinds.ts'
import { customSchema } from './custom-resource-definition.ts'
import { custom, generate, readRepository } from './outputs.ts'

const root = join(import.meta.dirname, '..', '..')
const index = readRepository(root)
const virtualMachine: StructuralSchema = schemas['VirtualMachine'] ?? {}
const pod: StructuralSchema = coreSchemas['Pod'] ?? {}

const machine = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: { name: web, labels: { app: web } }
spec:
  runStrategy: Always
  instancetype: { name: small, kind: VirtualMachineInstancetype }
  preference: { name: linux, inferFromVolumeFailurePolicy: Ignore }
  dataVolumeTemplates:
    - metadata: { name: root, creationTimestamp: null, labels: { any: thing } }
      spec:
        sourceRef: { kind: DataSource, name: debian, namespace: images }
        storage: { resources: { requests: { storage: 30Gi } } }
        checkpoints: [{ current: a, previous: b }]
  template:
    metadata: { creationTimestamp: null, labels: { app: web }, annotations: { a: b } }
    spec:
      architecture: amd64
      evictionStrategy: LiveMigrate
      terminationGracePeriodSeconds: 180
      domain:
        cpu: { cores: 2, sockets: 1, threads: 1, model: host-model, features: [{ name: vmx, policy: disable }] }
        memory: { guest: 1.5Gi, maxGuest: 4Gi, hugepages: { pageSize: 2Mi } }
        resources: { requests: { memory: 2Gi, cpu: 1 }, overcommitGuestOverhead: false }
        machine: { type: q35 }
        firmware: { uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223, bootloader: { efi: { secureBoot: false } } }
        clock: { utc: {}, timer: { hpet: { present: false }, rtc: { tickPolicy: catchup } }, ntp: kept }
        features: { acpi: {}, smm: { enabled: true }, hyperv: { spinlocks: { spinlocks: 8191 }, vendorid: { vendorid: KVM Hv } } }
        devices:
          disks:
            - { name: root, disk: { bus: virtio }, bootOrder: 1, blockSize: { matchVolume: {} } }
            - { name: init, cdrom: { bus: sata, readonly: true } }
          interfaces: [{ name: default, masquerade: {}, ports: [{ port: 80 }], macAddress: 'de:ad:00:00:be:af' }]
          gpus: [{ name: gpu, deviceName: nvidia.com/GP102GL, virtualGPUOptions: { display: { ramFB: { enabled: true } } } }]
          tpm: { persistent: true }
          watchdog: { name: dog, i6300esb: { action: poweroff } }
          rng: {}
      networks: [{ name: default, pod: {} }]
      readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 }
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule }]
      volumes:
        - { name: root, containerDisk: { image: 'registry.example/debian:12', imagePullPolicy: IfNotPresent } }
        - { name: init, cloudInitNoCloud: { userData: '#cloud-config' } }
        - { name: share, persistentVolumeClaim: { claimName: data, hotpluggable: true } }
        - { name: settings, configMap: { name: settings, optional: true, volumeLabel: cidata } }
`

/** Replaces the text of one place of the machine. */
function changed(from: string, to: string): unknown {
  return parse(machine.replace(from, to))
}

suite('generated files', () => {
  test('are those of the interfaces as they are now', (t) => {
    const stale = [...generate(index)].filter(([path, text]) => readFileSync(join(root, path), 'utf8') !== text).map(([path]) => path)
    t.assert.deepEqual(stale, [])
  })

  test('an installation brings no kinds of others', (t) => {
    const bundle = JSON.parse(readFileSync(join(root, 'manifests/crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
    const groups = new Set(bundle.map(({ spec }) => spec.group))
    t.assert.deepEqual(
      [...groups].filter((group) => !/(^|\.)(kubevirt|steadyvm)\.io$/.test(group)),
      [],
    )
  })

  test('the JSON bundle and the YAML manifests say the same', (t) => {
    const bundle = JSON.parse(readFileSync(join(root, 'manifests/crds.generated.json'), 'utf8')) as CustomResourceDefinition[]
    t.assert.equal(bundle.length, customKinds.length)
    for (const definition of bundle) {
      const path = join(root, 'manifests/crds', `${definition.metadata.name ?? ''}.yaml`)
      t.assert.deepEqual(parse(readFileSync(path, 'utf8')), definition)
    }
  })
})

suite('custom resource definitions', () => {
  for (const kind of customKinds) {
    test(`the schema of ${kind.kind} is structural`, (t) => {
      t.assert.deepEqual(validateSchema(customSchema(kind, index, custom), 'schema'), [])
    })
  }

  test('schemas of constants and of manifests are the same', (t) => {
    const kind = customKinds.find((candidate) => candidate.kind === 'VirtualMachine')
    assert.ok(kind)
    t.assert.deepEqual(customSchema(kind, index, custom), virtualMachine)
  })

  test('a schema loses fields only on purpose', () => {
    const count = (schema: StructuralSchema): number => {
      const own = Object.values(schema.properties ?? {})
      const below = [...own, schema.items, schema.additionalProperties].flatMap((child) =>
        typeof child === 'object' ? [count(child)] : [],
      )
      return own.length + below.reduce((sum, each) => sum + each, 0)
    }
    const guest = virtualMachine.properties?.['spec']?.properties?.['template']?.properties?.['spec'] ?? {}
    // Raise these with new fields; lowering them means that some machine's spec is pruned.
    assert.ok(count(guest) >= 549, `fields of a guest: ${count(guest)}`)
    assert.ok(count(pod) >= 850, `fields of a pod: ${count(pod)}`)
  })

  test('fields not acted on are fields', () => {
    const guest = virtualMachine.properties?.['spec']?.properties?.['template']?.properties?.['spec']
    for (const path of virtualMachineInstanceFieldsNotActedOn) {
      const found = path.split('.').reduce<StructuralSchema | undefined>((schema, step) => {
        const property = schema?.properties?.[step.replace('[]', '')]
        return step.endsWith('[]') ? property?.items : property
      }, guest)
      assert.ok(found, path)
    }
  })
})

suite('a realistic machine', () => {
  test('is valid and loses nothing', (t) => {
    const object = parse(machine) as unknown
    t.assert.deepEqual(validateStructural(object, virtualMachine), [])
    t.assert.deepEqual(prune(object, virtualMachine).unknown, [])
    t.assert.deepEqual(applyDefaults(object, virtualMachine), object)
  })

  for (const [what, from, to, field] of [
    ['a text for a number', 'cores: 2', 'cores: two', 'spec.template.spec.domain.cpu.cores'],
    ['a negative number of processors', 'sockets: 1', 'sockets: -1', 'spec.template.spec.domain.cpu.sockets'],
    ['a size that is no quantity', 'guest: 1.5Gi', 'guest: much', 'spec.template.spec.domain.memory.guest'],
    ['a disk without a name', '{ name: root, disk:', '{ disk:', 'spec.template.spec.domain.devices.disks[0].name'],
    ['a template that is a list', 'template:\n', 'template: []\n  other:\n', 'spec.template'],
  ] as const) {
    test(`${what} is refused at its path`, (t) => {
      t.assert.deepEqual(
        validateStructural(changed(from, to), virtualMachine).map((error) => error.field),
        [field],
      )
    })
  }

  test('an unknown field is found', (t) => {
    t.assert.deepEqual(prune(changed('rng: {}', 'rng: {}\n          gpu: []'), virtualMachine).unknown, [
      'spec.template.spec.domain.devices.gpu',
    ])
  })

  test('needs no domain: admission adds it', (t) => {
    const bare = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'a' }, spec: { template: { spec: {} } } }
    t.assert.deepEqual(validateStructural(bare, virtualMachine), [])
  })
})

suite('the examples', () => {
  for (const file of readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yaml'))) {
    test(`${file} is valid and loses nothing`, (t) => {
      for (const document of parseAllDocuments(readFileSync(join(root, 'examples', file), 'utf8'))) {
        const object = document.toJS() as { kind: string }
        const kind = customKinds.find((candidate) => candidate.kind === object.kind)
        assert.ok(kind, `${object.kind} in ${file}`)
        const schema = customSchema(kind, index, custom)
        t.assert.deepEqual(validateStructural(object, schema), [])
        t.assert.deepEqual(prune(object, schema).unknown, [])
      }
    })
  }
})

suite('a pod', () => {
  const container = { name: 'main', image: 'x', resources: { requests: { cpu: 0.5, memory: '64Mi' } }, ports: [{ containerPort: 80 }] }
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', creationTimestamp: null }, spec: { containers: [container] } }

  test('gets the defaults of Kubernetes', (t) => {
    const full = applyDefaults(object, pod) as { spec: Record<string, unknown> & { containers: { ports: unknown[] }[] } }
    const { containers, ...spec } = full.spec
    t.assert.deepEqual(spec, {
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
    })
    t.assert.deepEqual(containers[0]?.ports, [{ containerPort: 80, protocol: 'TCP' }])
    t.assert.deepEqual(validateStructural(full, pod), [])
  })

  test('names its merge keys for strategic patches', (t) => {
    const containers = pod.properties?.['spec']?.properties?.['containers']
    t.assert.equal(containers?.['x-kubernetes-patch-merge-key'], 'name')
    t.assert.equal(pod.properties?.['metadata']?.properties?.['finalizers']?.['x-kubernetes-patch-strategy'], 'merge')
  })
})
