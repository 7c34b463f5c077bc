import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { virtualMachineInstances, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { conflict, notFound, StatusError, type StatusCause } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { applyMergePatch } from '#apimachinery/patch/merge-patch.ts'
import { type Client, TransportError } from '#client/client.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import type { AggregatedAnswer } from '#runtime/aggregated/aggregated-group.ts'
import { subresourcesGroup } from './group.ts'
import type { ObjectGraphNode } from './object-graph.ts'

interface Patched {
  readonly resource: string
  readonly subresource: string | undefined
  readonly body: unknown
  readonly dryRun: boolean
}

const instancetype = { metadata: { name: 'small', namespace: 'ns' }, spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } } }
const preference = {
  metadata: { name: 'virtio', namespace: 'ns' },
  spec: { devices: { preferredDiskBus: 'virtio' }, annotations: { a: 'b' } },
}
const claim = { metadata: { labels: { 'instancetype.kubevirt.io/default-instancetype': 'small' } } }

/** Serves the group on a few objects. `before` may fail a patch. */
function serve(
  objects: Readonly<Record<string, object>> = {},
  before: (patch: Patched) => void = () => {},
  featureGates: readonly string[] = [],
) {
  const stored: Record<string, object> = {
    'virtualmachineinstancetypes/small': instancetype,
    'virtualmachineclusterinstancetypes/small': instancetype,
    'virtualmachinepreferences/virtio': preference,
    'virtualmachineclusterpreferences/virtio': preference,
    'persistentvolumeclaims/golden': claim,
    ...objects,
  }
  const patches: Patched[] = []
  const created: { resource: string; object: object; dryRun: boolean }[] = []
  const client: Pick<Client, 'get' | 'list' | 'patch' | 'create'> = {
    list: async ({ plural }) => ({
      metadata: {},
      items: Object.entries(stored).flatMap(([key, object]) => (key.startsWith(`${plural}/`) ? [object as never] : [])),
    }),
    get: async (resource, { name }) => {
      const object = stored[`${resource.plural}/${name}`]
      if (name === 'broken') throw new TransportError('reset')
      if (object === undefined) throw notFound(resource, name)
      return object as never
    },
    create: async (resource, object, { dryRun = false } = {}) => {
      created.push({ resource: resource.plural, object, dryRun })
      return object as never
    },
    patch: async (resource, { name }, patch, { subresource, dryRun = false } = {}) => {
      assert.ok(patch.type === 'merge')
      const done = { resource: resource.plural, subresource, body: patch.body, dryRun }
      before(done)
      patches.push(done)
      const next = applyMergePatch(stored[`${resource.plural}/${name}`], patch.body) as KubeObject
      if (!dryRun) stored[`${resource.plural}/${name}`] = next
      return next as never
    },
  }
  const { resources } = subresourcesGroup({
    client,
    config: () => ({ ...defaultClusterConfig, featureGates }),
    version: 'v1.2.3',
    agents: { connect: () => assert.fail(), ask: () => assert.fail() },
  })
  const ask = async (subresource: string, name: string, body: unknown = ''): Promise<AggregatedAnswer> => {
    const found = resources.findLast((each) => (each.subresource ?? each.resource) === subresource)
    const handler = Object.values(found?.handlers ?? {})[0]
    assert.ok(handler !== undefined)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const caller = { username: 'bob', groups: [], extra: {} }
    return handler({ caller, namespace: 'ns', name, body: text, query: new URLSearchParams(), signal: new AbortController().signal })
  }
  return { ask, patches, stored, created }
}

async function refusal(answer: Promise<AggregatedAnswer>): Promise<StatusError> {
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof StatusError, String(error))
  return error
}

function vm(spec: object = {}, more: object = {}): VirtualMachine {
  const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'golden' } }]
  const template = { metadata: { labels: { app: 'x' } }, spec: { domain: { devices: {} }, volumes } }
  return {
    metadata: { name: 'web', namespace: 'ns', resourceVersion: '7' },
    spec: { runStrategy: 'Halted', template, ...spec },
    ...more,
  } as VirtualMachine
}

const kinds = [undefined, 'VirtualMachineInstancetype', 'virtualmachineinstancetypes', 'VirtualMachineClusterInstancetype'] as const
const sized = { instancetype: { name: 'small', kind: kinds[1] }, preference: { name: 'virtio', kind: 'virtualmachinepreference' } }

for (const [endpoint, failing] of [
  ['expand-spec', 500],
  ['expand-vm-spec', 400],
] as const) {
  suite(endpoint, () => {
    const expand = (object: VirtualMachine): Promise<AggregatedAnswer> => {
      const { ask } = serve({ 'virtualmachines/web': object })
      return endpoint === 'expand-spec' ? ask(endpoint, 'web') : ask(endpoint, '', object)
    }
    const expanded = async (object: VirtualMachine): Promise<VirtualMachine> => {
      const { code, body } = await expand(object)
      assert.equal(code, 200)
      return body as VirtualMachine
    }

    test('returns a VM without matchers unchanged', async () => {
      assert.deepEqual((await expanded(vm())).spec, vm().spec)
    })

    test('expands the matchers into the spec, and removes them', async () => {
      const refs = { instancetypeRef: { name: 'small' }, preferenceRef: { name: 'virtio' }, printableStatus: 'Stopped' }
      const { spec, status, kind, apiVersion, metadata } = await expanded(vm(sized, { status: refs }))
      assert.deepEqual([spec.instancetype, spec.preference], [undefined, undefined])
      assert.deepEqual(status, { printableStatus: 'Stopped' })
      assert.deepEqual([apiVersion, kind, metadata.name], ['kubevirt.io/v1', 'VirtualMachine', 'web'])
      const { domain, networks } = spec.template.spec
      assert.deepEqual([domain.cpu?.sockets, domain.memory?.guest], [2, '1Gi'])
      assert.deepEqual(domain.devices.disks, [{ name: 'root', disk: { bus: 'virtio' } }])
      assert.equal(networks?.length, 1)
      assert.deepEqual(spec.template.metadata, { labels: { app: 'x' }, annotations: { a: 'b' } })
    })

    test('leaves out derived values, so that a VM created from the result is no clone', async () => {
      const { spec } = await expanded(vm(sized, { metadata: { name: 'web', namespace: 'ns', uid: 'u1' } }))
      assert.equal(spec.template.spec.domain.firmware, undefined)
    })

    test('is idempotent', async () => {
      const once = await expanded(vm(sized))
      assert.deepEqual((await expanded(once)).spec, once.spec)
    })

    for (const kind of kinds) {
      test(`resolves an instance type of kind ${kind}, and reports when it is missing`, async () => {
        const { spec } = await expanded(vm({ instancetype: { name: 'small', ...(kind === undefined ? {} : { kind }) } }))
        assert.equal(spec.template.spec.domain.cpu?.sockets, 2)
        const error = await refusal(expand(vm({ instancetype: { name: 'none', ...(kind === undefined ? {} : { kind }) } })))
        assert.equal(error.code, failing)
      })
    }

    const failures: readonly (readonly [string, object])[] = [
      ['a missing preference', { preference: { name: 'none' } }],
      ['an unknown kind', { instancetype: { name: 'small', kind: 'Pod' } }],
      ['a conflict', { ...sized, template: { spec: { domain: { devices: {}, memory: { guest: '2Gi' } } } } }],
      ['a volume without defaults', { preference: { inferFromVolume: 'root' } }],
    ]
    for (const [name, spec] of failures) {
      test(`answers ${failing} for ${name}`, async () => assert.equal((await refusal(expand(vm(spec)))).code, failing))
    }

    test('infers matchers from volumes', async () => {
      const { spec } = await expanded(vm({ instancetype: { inferFromVolume: 'root' } }))
      assert.deepEqual([spec.instancetype, spec.template.spec.domain.cpu?.sockets], [undefined, 2])
    })

    test('answers 500 when the API cannot be reached', async () => {
      assert.equal((await refusal(expand(vm({ instancetype: { name: 'broken' } })))).code, 500)
    })
  })
}

test('version returns the release', async () => {
  const { body } = await serve().ask('version', '')
  assert.equal((body as { gitVersion: string }).gitVersion, 'v1.2.3')
})

test('expand-spec answers 404 for a VM that does not exist', async () => {
  const error = await refusal(serve().ask('expand-spec', 'none'))
  assert.deepEqual([error.code, error.status.details?.kind, error.status.details?.name], [404, 'virtualmachine', 'none'])
})

suite('expand-vm-spec validates its body', () => {
  const bodies: readonly (readonly [string, unknown])[] = [
    ['nothing', ''],
    ['blanks', ' \n'],
    ['no JSON', '{'],
    ['a list', []],
    ['null', null],
    ['a number', 1],
    ['another kind', { kind: 'Pod', metadata: {}, spec: {} }],
    ['a VM without spec', { kind: 'VirtualMachine', metadata: { name: 'web' } }],
    ['a VM of another group', { ...vm(), apiVersion: 'v1' }],
    ['a matcher without a name', vm({ instancetype: { kind: 'VirtualMachineInstancetype' } })],
    ['a matcher with both name and volume', vm({ instancetype: { name: 'small', inferFromVolume: 'root' } })],
    ['a VM of another namespace', vm({}, { metadata: { name: 'web', namespace: 'other' } })],
  ]
  for (const [name, body] of bodies) {
    test(`and answers 400 for ${name}`, async () => {
      const error = await refusal(serve().ask('expand-vm-spec', '', body))
      assert.deepEqual([error.code, error.reason], [400, 'BadRequest'])
    })
  }

  test('and names the invalid fields', async () => {
    const error = await refusal(serve().ask('expand-vm-spec', '', vm({ template: { spec: { domain: { cpu: { cores: 'two' } } } } })))
    const causes: readonly StatusCause[] = error.status.details?.causes ?? []
    assert.deepEqual(
      causes.map(({ field }) => field),
      ['spec.template.spec.domain.cpu.cores'],
    )
  })

  test('and accepts the encoding of Go clients', async () => {
    const body = {
      kind: 'VirtualMachine',
      apiVersion: 'kubevirt.io/v1',
      metadata: { name: 'web', creationTimestamp: null },
      spec: {
        ...sized,
        runStrategy: 'Halted',
        dataVolumeTemplates: [{ metadata: { name: 'made', creationTimestamp: null }, spec: { storage: { resources: {} } } }],
        template: {
          metadata: { creationTimestamp: null },
          spec: { domain: { devices: {}, resources: {} }, volumes: [{ name: 'root', dataVolume: { name: 'made' } }] },
        },
      },
      status: {},
    }
    const { spec } = (await serve().ask('expand-vm-spec', '', body)).body as VirtualMachine
    assert.equal(spec.template.spec.domain.cpu?.sockets, 2)
  })

  test('and sets the namespace of the request', async () => {
    const { metadata } = (await serve().ask('expand-vm-spec', '', vm(sized, { metadata: { name: 'web' } }))).body as VirtualMachine
    assert.equal(metadata.namespace, 'ns')
  })
})

suite('start, stop and restart', () => {
  const vmi = { metadata: { name: 'web', namespace: 'ns', uid: 'u1', resourceVersion: '3' }, spec: {}, status: { phase: 'Running' } }
  const manual = { 'virtualmachines/web': vm({ runStrategy: 'Manual' }) }
  const running = { ...manual, 'virtualmachineinstances/web': vmi }

  test('start a halted VM by its run strategy, in either field', async () => {
    for (const [spec, wanted] of [
      [{}, { runStrategy: 'Always' }],
      [{ runStrategy: undefined, running: false }, { running: true }],
    ]) {
      const { ask, patches } = serve({ 'virtualmachines/web': vm(spec) })
      assert.deepEqual(await ask('start', 'web'), { code: 202 })
      const body = { metadata: { resourceVersion: '7' }, spec: wanted }
      assert.deepEqual(patches, [{ resource: 'virtualmachines', subresource: undefined, body, dryRun: false }])
    }
  })

  test('store requests in the status, and end the back-off', async () => {
    const { ask, patches } = serve(manual)
    assert.deepEqual(await ask('start', 'web', { paused: true }), { code: 202 })
    const status = { stateChangeRequests: [{ action: 'Start', data: { paused: 'true' } }], startFailure: null }
    assert.deepEqual(patches, [
      { resource: 'virtualmachines', subresource: 'status', body: { metadata: { resourceVersion: '7' }, status }, dryRun: false },
    ])
  })

  test('change nothing in a dry run', async () => {
    const { ask, patches } = serve(running)
    assert.deepEqual(await ask('restart', 'web', { gracePeriodSeconds: 0, dryRun: ['All'] }), { code: 202 })
    assert.deepEqual(
      patches.map(({ dryRun }) => dryRun),
      [true, true],
    )
  })

  test('retry conflicts with the current VM', async () => {
    let races = 2
    const { ask, patches } = serve(running, () => {
      if (races-- > 0) throw conflict(virtualMachines, 'web')
    })
    assert.deepEqual(await ask('stop', 'web'), { code: 202 })
    assert.equal(patches.length, 1)
    const always = serve(running, () => {
      throw conflict(virtualMachines, 'web')
    })
    assert.equal((await refusal(always.ask('stop', 'web'))).code, 409)
  })

  test('restore the grace period when the request fails', async () => {
    const { ask, stored } = serve(running, ({ subresource }) => {
      if (subresource === 'status') throw notFound(virtualMachines, 'web')
    })
    assert.equal((await refusal(ask('restart', 'web', { gracePeriodSeconds: 0 }))).code, 404)
    assert.deepEqual((stored[`${virtualMachineInstances.plural}/web`] as typeof vmi).spec, {})
  })

  test('refuse invalid options', async () => {
    for (const body of [
      '{',
      '[]',
      { gracePeriod: 'soon' },
      { gracePeriod: 1.5 },
      { gracePeriod: -1 },
      { dryRun: ['Some'] },
      { dryRun: 'All' },
      { paused: 'true' },
    ]) {
      assert.equal((await refusal(serve(running).ask('stop', 'web', body))).code, 400)
    }
    assert.equal((await refusal(serve().ask('start', 'none'))).code, 404)
  })
})

suite('migrate', () => {
  const running = {
    'virtualmachines/web': { metadata: { name: 'web' }, spec: {} },
    'virtualmachineinstances/web': { status: { phase: 'Running' } },
  }

  test('creates a migration of a running guest', async () => {
    const { ask, created } = serve(running)
    assert.equal((await ask('migrate', 'web', { addedNodeSelector: { zone: 'b' } })).code, 202)
    const [{ object, resource, dryRun } = { object: {}, resource: '', dryRun: true }] = created
    assert.equal(resource, 'virtualmachineinstancemigrations')
    assert.equal(dryRun, false)
    assert.deepEqual((object as { spec: object }).spec, { vmiName: 'web', addedNodeSelector: { zone: 'b' } })
  })

  test('creates none in a dry run, or for a VM that does not run', async () => {
    const { ask, created } = serve(running)
    await ask('migrate', 'web', { dryRun: ['All'] })
    assert.deepEqual(
      created.map(({ dryRun }) => dryRun),
      [true],
    )
    const halted = serve({ 'virtualmachines/web': running['virtualmachines/web'] })
    assert.equal((await refusal(halted.ask('migrate', 'web'))).code, 404)
    const starting = serve({ ...running, 'virtualmachineinstances/web': { status: { phase: 'Scheduled' } } })
    assert.equal((await refusal(starting.ask('migrate', 'web'))).code, 409)
    assert.equal((await refusal(serve().ask('migrate', 'web'))).code, 404)
  })

  test('refuses invalid options', async () => {
    for (const body of [
      { addedNodeSelector: 'b' },
      { addedNodeSelector: ['b'] },
      { dryRun: 'All' },
      { dryRun: ['Some'] },
      { dryRun: true },
    ]) {
      const { ask, created } = serve(running)
      assert.equal((await refusal(ask('migrate', 'web', body))).code, 400)
      assert.deepEqual(created, [])
    }
  })
})

test('evacuate/cancel clears the mark', async () => {
  const key = 'virtualmachineinstances/web'
  const leaving = { [key]: { metadata: { name: 'web', resourceVersion: '7' }, status: { evacuationNodeName: 'n1', nodeName: 'n1' } } }
  const { ask, stored, patches } = serve(leaving)
  assert.equal((await refusal(ask('evacuate/cancel', 'web', { evacuationNodeName: 'n2' }))).code, 409)
  for (const body of [{ dryRun: 'All' }, { dryRun: ['Some'] }, { evacuationNodeName: 1 }])
    assert.equal((await refusal(ask('evacuate/cancel', 'web', body))).code, 400)
  assert.deepEqual(patches, [])
  assert.equal((await ask('evacuate/cancel', 'web', { evacuationNodeName: 'n1' })).code, 200)
  assert.deepEqual((stored[key] as { status: object }).status, { nodeName: 'n1' })
  assert.equal((await ask('evacuate/cancel', 'web')).code, 200)
  assert.equal(patches.length, 1)
  assert.equal((await refusal(ask('evacuate/cancel', 'none'))).code, 404)
})

test('guestfs, which is not served yet, answers 501 with an alternative', async () => {
  const { resources } = subresourcesGroup({} as never)
  const get = resources.find(({ resource }) => resource === 'guestfs')?.handlers.GET
  assert.ok(get)
  const caller = { username: '', groups: [], extra: {} }
  const request = { caller, namespace: '', name: '', body: '', query: new URLSearchParams(), signal: new AbortController().signal }
  const { code, message } = await refusal(get(request))
  assert.equal(code, 501)
  assert.match(message, /^guestfs is not served yet\. [A-Z]/)
})

test('restart and stop refuse grace periods before they look for the VM', async () => {
  const { ask } = serve()
  const refusalOf = async (verb: string, body: object): Promise<string> => (await refusal(ask(verb, 'none', body))).message
  assert.equal(await refusalOf('restart', { gracePeriodSeconds: 5 }), 'For force restart, only gracePeriod=0 is supported for now')
  assert.equal(await refusalOf('restart', { gracePeriodSeconds: -1 }), 'gracePeriod has to be greater or equal to 0')
  assert.equal(await refusalOf('stop', { gracePeriod: -1 }), 'gracePeriod has to be greater or equal to 0')
  assert.match(await refusalOf('restart', { gracePeriodSeconds: 0 }), /"none" not found/)
})

suite('subresources of features that nothing has', () => {
  const guest = (status: object): object => ({ metadata: { name: 'web' }, spec: { domain: { devices: {} } }, status })
  const running = guest({ phase: 'Running' })
  const tracked = guest({ phase: 'Running', changedBlockTracking: { state: 'Enabled' } })
  const rows: readonly (readonly [subresource: string, vmi: object | undefined, code: number, message: RegExp, gates?: string[]])[] = [
    ['backup', undefined, 404, /virtualmachineinstance\.kubevirt\.io "web" not found/],
    ['backup', guest({ phase: 'Pending' }), 409, /"web": VM is not running/],
    ['backup', running, 501, /not copied yet/],
    ['redefine-checkpoint', running, 409, /"web": ChangedBlockTracking is not enabled/],
    ['redefine-checkpoint', tracked, 501, /not copied yet/],
    ['start-cluster-profiler', running, 403, /^Unable to start profiler\. "ClusterProfiler" feature gate must be enabled$/],
    ['stop-cluster-profiler', running, 403, /^Unable to stop profiler\./],
    ['dump-cluster-profiler', running, 403, /^Unable to dump profiler results\./],
    ['dump-cluster-profiler', running, 501, /not profiled yet/, ['ClusterProfiler']],
  ]
  for (const [subresource, vmi, code, message, gates] of rows)
    test(`${subresource} answers ${code}: ${message.source}`, async () => {
      const { ask } = serve(vmi === undefined ? {} : { 'virtualmachineinstances/web': vmi }, undefined, gates)
      const refused = await refusal(ask(subresource, 'web'))
      assert.equal(refused.code, code)
      assert.match(refused.message, message)
    })
})

suite('objectgraph', () => {
  const owner = { kind: 'VirtualMachineInstance', name: 'web', uid: 'u', apiVersion: 'kubevirt.io/v1', controller: true }
  const objects = {
    'virtualmachines/web': vm({ instancetype: { name: 'small', kind: 'VirtualMachineInstancetype' } }, { status: { created: true } }),
    'pods/other': { metadata: { name: 'other' } },
    'pods/launcher': { metadata: { name: 'launcher', ownerReferences: [owner] } },
  }

  test('lists what a VM depends on', async () => {
    const { ask } = serve(objects, undefined, ['ObjectGraph'])
    const { body } = await ask('objectgraph', 'web', { includeOptionalNodes: false })
    const lines = (node: ObjectGraphNode): string[] => [
      `${node.objectReference.kind}/${node.objectReference.name}`,
      ...(node.children ?? []).flatMap(lines),
    ]
    assert.deepEqual(lines(body as ObjectGraphNode), [
      'VirtualMachine/web',
      'VirtualMachineInstance/web',
      'Pod/launcher',
      'PersistentVolumeClaim/golden',
    ])
  })

  test('is refused while its gate is closed, for unknown VMs, and for selectors that are none', async () => {
    assert.deepEqual(
      (await refusal(serve(objects).ask('objectgraph', 'web'))).message,
      'ObjectGraph feature gate not enabled: Unable to return object graph.',
    )
    const { ask } = serve(objects, undefined, ['ObjectGraph'])
    assert.equal((await refusal(ask('objectgraph', 'none'))).code, 404)
    const labelSelector = { matchExpressions: [{ key: 'a', operator: 'Near' }] }
    assert.equal((await refusal(ask('objectgraph', 'web', { labelSelector }))).code, 400)
  })
})

suite('pause and unpause', () => {
  const key = 'virtualmachineinstances/web'
  const guest = (status: object, spec: object = {}): Record<string, object> => ({
    [key]: { metadata: { name: 'web', resourceVersion: '7' }, spec, status: { phase: 'Running', ...status } },
  })
  const paused = { conditions: [{ type: 'Paused', status: 'True' }] }
  const agentProbe = { livenessProbe: { guestAgentPing: {} } }
  const rows: readonly (readonly [verb: 'pause' | 'unpause', why: string, objects: Record<string, object>, answer: 200 | RegExp])[] = [
    ['pause', 'a running guest', guest({}), 200],
    ['pause', 'a guest that the agent is asked about', guest({}, agentProbe), 200],
    ['pause', 'a guest that is paused', guest(paused), /VMI is already paused/],
    ['pause', 'a guest that does not run yet', guest({ phase: 'Scheduled' }), /VM is not running/],
    ['pause', 'a guest that is asked by HTTP', guest({}, { livenessProbe: { httpGet: { port: 80 } } }), /non-GuestAgentPing LivenessProbe/],
    ['pause', 'no guest', {}, /virtualmachineinstance.kubevirt.io "web" not found/],
    ['unpause', 'a paused guest', guest(paused), 200],
    ['unpause', 'a guest that is about to be paused', guest({ steadyvm: { paused: true } }), 200],
    ['unpause', 'a running guest', guest({}), /VMI is not paused/],
    ['unpause', 'a guest that has ended', guest({ phase: 'Succeeded' }), /VMI is not running/],
    [
      'unpause',
      'a guest of a VM whose snapshot is in progress',
      { ...guest(paused), 'virtualmachines/web': { status: { snapshotInProgress: 'one' } } },
      /VM snapshot is in progress/,
    ],
  ]
  for (const [verb, why, objects, wanted] of rows)
    test(`${verb} of ${why}`, async () => {
      const { ask, stored, patches } = serve(objects)
      if (wanted !== 200) {
        assert.match((await refusal(ask(verb, 'web'))).message, wanted)
        assert.deepEqual(patches, [])
        return
      }
      assert.equal((await ask(verb, 'web', { dryRun: ['All'] })).code, 200)
      assert.equal(patches.pop()?.dryRun, true)
      assert.equal((await ask(verb, 'web')).code, 200)
      assert.equal((stored[key] as { status: { steadyvm: { paused: boolean } } }).status.steadyvm.paused, verb === 'pause')
    })
})
