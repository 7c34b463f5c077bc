import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'

const labels = {
  'instancetype.kubevirt.io/default-instancetype': 'small',
  'instancetype.kubevirt.io/default-instancetype-kind': 'VirtualMachineInstancetype',
  'instancetype.kubevirt.io/default-preference': 'linux',
  'instancetype.kubevirt.io/default-preference-kind': 'VirtualMachinePreference',
}
const claimSpec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } }

suite('admission of instance types and VMs', { skip: noKubectl }, () => {
  let machine: TestMachine
  const apply = (...items: object[]): Promise<string> =>
    machine.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const sizes = (name: string, guest: number) => ({
    apiVersion: 'instancetype.kubevirt.io/v1beta1',
    kind: 'VirtualMachineInstancetype',
    metadata: { name },
    spec: { cpu: { guest }, memory: { guest: '128Mi' } },
  })
  const claim = (name: string, more: object = {}) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, labels: { ...labels, ...more } },
    spec: claimSpec,
  })
  const inferring = (name: string, volume: object, spec: object = {}) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name },
    spec: {
      runStrategy: 'Halted',
      instancetype: { inferFromVolume: 'root' },
      preference: { inferFromVolume: 'root' },
      template: { spec: { domain: { devices: {} }, volumes: [{ name: 'root', ...volume }] } },
      ...spec,
    },
  })
  const namesOf = async (name: string): Promise<string> => {
    const { spec } = (await machine.getJson('vm', name)) as unknown as { spec: Record<string, unknown> }
    return JSON.stringify([spec['instancetype'], spec['preference']])
  }
  const found = JSON.stringify([
    { kind: 'VirtualMachineInstancetype', name: 'small' },
    { kind: 'VirtualMachinePreference', name: 'linux' },
  ])

  before(async () => {
    machine = await useNamespace()
    // virt-api registers this last: from here on it is asked about everything.
    await machine.kubectl(['wait', '--for=create', 'apiservice/v1alpha3.subresources.kubevirt.io', '--timeout=30s'])
    await apply(
      sizes('small', 1),
      { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind: 'VirtualMachinePreference', metadata: { name: 'linux' }, spec: {} },
      claim('golden'),
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: { name: 'imported', labels },
        spec: { source: { blank: {} }, storage: { resources: claimSpec.resources } },
      },
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataSource',
        metadata: { name: 'latest' },
        spec: { source: { pvc: { name: 'golden', namespace: machine.namespace } } },
      },
      {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: { name: 'snap', labels },
        spec: { source: { persistentVolumeClaimName: 'golden' } },
      },
    )
  })
  after(() => machine[Symbol.asyncDispose]())

  test('names are inferred from claims, DataVolumes, and their sources', async () => {
    const templates = (spec: object): object => ({ dataVolumeTemplates: [{ metadata: { name: 'made' }, spec }] })
    const source = { name: 'snap', namespace: machine.namespace }
    await apply(
      inferring('of-claim', { persistentVolumeClaim: { claimName: 'golden' } }),
      inferring('of-volume', { dataVolume: { name: 'imported' } }),
      inferring(
        'of-source',
        { dataVolume: { name: 'made' } },
        templates({ sourceRef: { kind: 'DataSource', name: 'latest' }, storage: {} }),
      ),
      inferring('of-snapshot', { dataVolume: { name: 'made' } }, templates({ source: { snapshot: source }, storage: {} })),
    )
    for (const name of ['of-claim', 'of-volume', 'of-source', 'of-snapshot']) assert.equal(await namesOf(name), found, name)
  })

  test('the same manifest can be applied again, client-side and server-side, and keeps its fields', async () => {
    const manifest = inferring('again', { persistentVolumeClaim: { claimName: 'golden' } })
    await apply(manifest)
    await eventually(
      async () => textAt(await machine.getJson('vm', 'again'), 'status.instancetypeRef.controllerRevisionRef.name') !== '',
      () => machine.kubectl(['get', 'vm', 'again', '-o', 'yaml']),
    )
    const generation = textAt(await machine.getJson('vm', 'again'), 'metadata.generation')
    await machine.kubectl(['label', 'pvc', 'golden', '--overwrite', 'instancetype.kubevirt.io/default-instancetype=other'])
    await apply(manifest)
    await machine.kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], JSON.stringify(manifest))
    await machine.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(manifest))
    await machine.kubectl(['label', 'pvc', 'golden', '--overwrite', 'instancetype.kubevirt.io/default-instancetype=small'])
    assert.equal(await namesOf('again'), found)
    assert.equal(textAt(await machine.getJson('vm', 'again'), 'metadata.generation'), generation)
    const switched = { ...manifest, spec: { ...manifest.spec, instancetype: { inferFromVolume: 'root', name: 'mine' } } }
    const { code, stderr } = await machine.tryKubectl(['apply', '-f', '-'], JSON.stringify(switched))
    assert.notEqual(code, 0)
    assert.match(stderr, /Name already set, should be cleared before setting inferFromVolume/)
  })

  test('a volume without a default type is rejected or ignored, by the failure policy', async () => {
    const disk = { containerDisk: { image: 'x' } }
    const refused = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(inferring('mute', disk)))
    assert.match(refused.stderr, /unable to infer defaults from volume root as type is not supported/)
    const lenient = { inferFromVolume: 'root', inferFromVolumeFailurePolicy: 'Ignore' }
    const domain = { devices: {}, memory: { guest: '64Mi' } }
    const template = { spec: { domain, volumes: [{ name: 'root', ...disk }] } }
    await apply(inferring('lenient', disk, { instancetype: lenient, preference: lenient, template }))
    assert.equal(await namesOf('lenient'), '[null,null]')
    assert.equal(textAt(await machine.getJson('vm', 'lenient'), 'spec.template.spec.domain.memory.guest'), '64Mi')
  })

  test('deleting a type that VMs need returns a warning', async () => {
    await apply(sizes('gone', 1))
    const { stderr } = await machine.tryKubectl(['delete', 'virtualmachineinstancetype', 'gone'])
    assert.equal(stderr, '')
    // Admitted while the type is missing, and in conflict with it ever after: of this VM nothing is
    // captured.
    const domain = { devices: {}, memory: { guest: '64Mi' } }
    const instancetype = { name: 'gone', kind: 'VirtualMachineInstancetype' }
    const { preference: _, ...waiting } = inferring('waiting', {}, { instancetype, template: { spec: { domain } } }).spec as Record<
      string,
      unknown
    >
    await apply({ ...inferring('waiting', {}), spec: waiting })
    await apply(sizes('gone', 1))
    const warned = await machine.tryKubectl(['delete', 'virtualmachineinstancetype', 'gone'])
    assert.match(warned.stderr, /^Warning: VirtualMachine \S+\/waiting names VirtualMachineInstancetype "gone"/)
    assert.equal(warned.code, 0)
  })

  test('a preset is deprecated, and applied', async () => {
    const preset = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstancePreset',
      metadata: { name: 'tiny' },
      spec: { selector: { matchLabels: { size: 'tiny' } }, domain: { resources: { requests: { memory: '64Mi' } } } },
    }
    const { stderr, code } = await machine.tryKubectl(['apply', '-f', '-'], JSON.stringify(preset))
    assert.equal(code, 0, stderr)
    assert.match(stderr, /kubevirt\.io\/v1 VirtualMachineInstancePresets is now deprecated and will be removed in v2\./)
    assert.equal((await machine.tryKubectl(['get', 'all'])).stderr, '')
    const vmi = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', metadata: { name: 'tiny', labels: { size: 'tiny' } } }
    const made = await machine.kubectl(
      ['create', '--dry-run=server', '-o', 'json', '-f', '-'],
      JSON.stringify({ ...vmi, spec: { domain: { devices: {} } } }),
    )
    assert.match(made, /"guest": "64Mi"/)
    assert.match(made, /"virtualmachinepreset\.kubevirt\.io\/tiny": "kubevirt\.io\/v1"/)
  })

  suite('the default roles', () => {
    const namespaced = ['virtualmachineinstancetypes', 'virtualmachinepreferences']
    const clusterWide = ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences']
    const reading = ['get', 'list', 'watch']
    const writing = ['create', 'update', 'patch', 'delete']
    const can = async (user: string, verb: string, resource: string, ...more: string[]): Promise<boolean> => {
      const { stdout } = await machine.tryKubectl(['auth', 'can-i', verb, `${resource}.instancetype.kubevirt.io`, `--as=${user}`, ...more])
      return stdout.trim() === 'yes'
    }

    before(async () => {
      for (const role of ['admin', 'edit', 'view']) {
        await machine.kubectl(['create', 'rolebinding', `${role}s`, `--clusterrole=kubevirt.io:${role}`, `--user=${role}`])
      }
    })

    for (const [user, allowed] of [
      ['admin', [...reading, ...writing, 'deletecollection']],
      ['edit', [...reading, ...writing]],
      ['view', reading],
      ['nobody', []],
    ] as const) {
      test(`give ${user} the same rights as in KubeVirt`, async () => {
        const verbs = [...reading, ...writing, 'deletecollection']
        const group = ['--as-group=system:authenticated', '-n', machine.namespace]
        const answers = await Promise.all(
          namespaced.flatMap((resource) => verbs.map(async (verb) => [verb, await can(user, verb, resource, ...group)] as const)),
        )
        for (const [verb, answer] of answers) assert.equal(answer, (allowed as readonly string[]).includes(verb), `${user} ${verb}`)
      })
    }

    test('let every authenticated user read cluster-wide instance types and preferences', async () => {
      for (const resource of clusterWide) {
        assert.ok(await can('nobody', 'list', resource, '--as-group=system:authenticated'))
        assert.ok(!(await can('nobody', 'create', resource, '--as-group=system:authenticated')))
      }
    })
  })
})
