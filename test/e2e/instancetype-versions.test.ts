import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'

const group = 'instancetype.kubevirt.io'

/** Sorts the keys, so that equal documents have equal texts. */
function textOf(document: unknown): string {
  return JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}

suite('two versions of instance types and preferences', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (version: string, kind: string, name: string, spec: object): Promise<string> =>
    machine.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: `${group}/${version}`, kind, metadata: { name }, spec }))
  const get = (version: string, plural: string, name: string): Promise<KubeJson> => machine.getJson(`${plural}.${version}.${group}`, name)
  const preference = (version: string, name: string): Promise<KubeJson> => get(version, 'virtualmachinepreferences', name)
  const gate = async (featureGates: string[]): Promise<void> => {
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    await machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
  }
  const isServed = async (): Promise<boolean> => {
    const lines = await machine.kubectl(['api-versions'])
    return lines.split('\n').includes(`${group}/v1`)
  }
  /** Kubernetes serves the kinds of a version one after the other. */
  const areAllServed = async (): Promise<boolean> => {
    const { code, stdout } = await machine.tryKubectl(['get', '--raw', `/apis/${group}/v1`])
    const kinds = [
      'virtualmachineinstancetypes',
      'virtualmachineclusterinstancetypes',
      'virtualmachinepreferences',
      'virtualmachineclusterpreferences',
    ]
    return code === 0 && kinds.every((kind) => stdout.includes(`"name":"${kind}"`))
  }
  const old = {
    cpu: { preferredCPUTopology: 'preferSpread' },
    preferSpreadSocketToCoreRatio: 4,
    firmware: { preferredUseEfi: true, preferredUseSecureBoot: true },
  }

  test('v1 is not served until its gate is enabled', async () => {
    await apply('v1beta1', 'VirtualMachinePreference', 'old', old)
    assert.equal(await isServed(), false)
    await gate(['InstancetypeV1'])
    await eventually(areAllServed, () => 'v1 is not served')
  })

  test('deprecated fields of v1beta1 are converted to fields of v1', async () => {
    const { spec } = await preference('v1', 'old')
    assert.deepEqual(spec, {
      cpu: { preferredCPUTopology: 'spread', spreadOptions: { ratio: 4 } },
      firmware: { preferredEfi: { secureBoot: true } },
    })
    const same = await preference('v1beta1', 'old')
    assert.deepEqual(same['spec'], old)
    assert.equal(same['metadata']?.['annotations']?.['steadyvm.io/v1beta1-fields'], undefined)
  })

  test('an edit in v1 keeps fields that v1 does not have, and overrides conflicting ones', async () => {
    const spec = { cpu: { guest: 1 }, memory: { guest: '64Mi', overcommitPercent: 0 } }
    await apply('v1beta1', 'VirtualMachineInstancetype', 'secure', { ...spec, launchSecurity: { sev: {} } })
    const patch = (plural: string, name: string, body: object): Promise<string> =>
      machine.kubectl(['patch', `${plural}.v1.${group}`, name, '--type=merge', '-p', JSON.stringify({ spec: body })])
    await patch('virtualmachineinstancetypes', 'secure', { cpu: { guest: 2 } })
    const { spec: edited } = await get('v1beta1', 'virtualmachineinstancetypes', 'secure')
    assert.deepEqual(edited, { ...spec, cpu: { guest: 2 }, launchSecurity: { sev: {} } })
    await patch('virtualmachinepreferences', 'old', { firmware: { preferredEfi: { secureBoot: false } } })
    const { spec: changed } = await preference('v1beta1', 'old')
    assert.deepEqual(changed, { ...old, firmware: { preferredEfi: { secureBoot: false } } })
  })

  test('v1 rejects deprecated fields, and has the same validation', async () => {
    const refused = async (kind: string, spec: object, word: string): Promise<void> => {
      const object = { apiVersion: `${group}/v1`, kind, metadata: { name: 'refused' }, spec }
      const { code, stderr } = await machine.tryKubectl(['create', '-f', '-'], JSON.stringify(object))
      assert.equal(code, 1)
      assert.ok(stderr.includes(word), stderr)
    }
    await refused('VirtualMachinePreference', { firmware: { preferredUseEfi: true } }, 'preferredUseEfi')
    await refused('VirtualMachinePreference', { cpu: { preferredCPUTopology: 'preferCores' } }, 'preferredCPUTopology')
    const memory = { guest: '64Mi', overcommitPercent: 15, hugepages: { pageSize: '2Mi' } }
    await refused('VirtualMachineInstancetype', { cpu: { guest: 1 }, memory }, 'overcommitPercent')
  })

  test('all kinds can be listed, watched and explained in both versions', async () => {
    await apply('v1', 'VirtualMachineClusterInstancetype', 'new', { cpu: { guest: 4 }, memory: { guest: '64Mi' } })
    await apply('v1', 'VirtualMachineClusterPreference', 'new', { machine: { preferredMachineType: 'q35' } })
    for (const plural of ['virtualmachineclusterinstancetypes', 'virtualmachineclusterpreferences']) {
      const lists = await Promise.all(
        ['v1', 'v1beta1'].map((version) => machine.kubectl(['get', `${plural}.${version}.${group}`, '-o', 'name'])),
      )
      for (const list of lists) assert.match(list, /\/new$/m)
    }
    assert.match(await machine.kubectl(['explain', 'vmpref.spec.firmware']), /VERSION:\s+v1$/m)
  })

  test('captured revisions follow the gate, and give the same guest', async () => {
    const firmware = { preferredUseBios: false, preferredUseSecureBoot: true }
    await apply('v1beta1', 'VirtualMachinePreference', 'picky', { ...old, firmware })
    const matchers = {
      instancetype: { kind: 'VirtualMachineClusterInstancetype', name: 'new' },
      preference: { kind: 'VirtualMachinePreference', name: 'picky' },
    }
    const domain = { devices: {}, features: { smm: {} }, firmware: { bootloader: { efi: {} } } }
    const spec = { ...matchers, runStrategy: 'Halted', template: { spec: { domain } } }
    const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'web' }, spec }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(vm))
    const expanded = async (): Promise<string> => {
      const path = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web/expand-spec'
      return textOf((JSON.parse(await machine.kubectl(['get', '--raw', path])) as KubeJson)['spec'])
    }
    const captured = async (version: string): Promise<void> => {
      const isSo = async (): Promise<boolean> => {
        const { status } = await machine.getJson('vm', 'web')
        const names = ['instancetypeRef', 'preferenceRef'].map((field) => textAt(status ?? {}, `${field}.controllerRevisionRef.name`))
        const kept = (await machine.getJson('controllerrevisions'))['items'] as unknown as readonly KubeJson[]
        const data = names.map((name) => kept.find((revision) => textAt(revision, 'metadata.name') === name)?.['data'])
        return data.every((each) => textAt(each ?? {}, 'apiVersion') === `${group}/${version}`) && kept.length === 2
      }
      await eventually(isSo, () => machine.kubectl(['get', 'controllerrevisions,vm', '-o', 'yaml']))
    }
    await captured('v1')
    const before = await expanded()
    assert.match(before, /secureBoot/)
    await gate([])
    await captured('v1beta1')
    assert.equal(await expanded(), before)
    await gate(['InstancetypeV1'])
    await captured('v1')
    assert.equal(await expanded(), before)
  })

  test('a restart of everything keeps it served, and switching it off leaves the objects', async () => {
    await machine.restartComponents()
    assert.equal(await isServed(), true)
    assert.equal(textAt(await get('v1', 'virtualmachineclusterpreferences', 'new'), 'spec.machine.preferredMachineType'), 'q35')
    await gate([])
    await eventually(
      async () => !(await isServed()),
      () => 'v1 is still served',
    )
    const names = await machine.kubectl(['get', 'vmpref,vminstancetype', '-o', 'name'])
    assert.deepEqual(names.trim().split('\n').toSorted(), [
      `virtualmachineinstancetype.${group}/secure`,
      `virtualmachinepreference.${group}/old`,
      `virtualmachinepreference.${group}/picky`,
    ])
    await apply('v1beta1', 'VirtualMachinePreference', 'old', { machine: { preferredMachineType: 'q35' } })
    assert.deepEqual((await preference('v1beta1', 'old'))['spec'], { machine: { preferredMachineType: 'q35' } })
  })

  test('objects stored in v1 are converted also while v1 is disabled, until they are migrated', async () => {
    const definition = `virtualmachineinstancetypes.${group}`
    const storeAs = async (version: string): Promise<void> => {
      const { spec } = (await machine.getJson('crd', definition)) as unknown as { spec: { versions: readonly KubeJson[] } }
      const versions = spec.versions.map((each) => ({
        ...each,
        storage: textAt(each, 'name') === version,
      }))
      await machine.kubectl(['patch', 'crd', definition, '--type=merge', '-p', JSON.stringify({ spec: { versions } })])
    }
    const migrate = async (): Promise<void> => {
      const { code, stderr } = await machine.steadyvm('revisions', 'migrate-storage', definition)
      assert.equal(code, 0, stderr)
    }
    const state = (): Promise<string> =>
      machine.kubectl(['get', 'crd', definition, '-o', 'jsonpath={.spec.conversion.strategy} {.status.storedVersions}'])
    const before = (await get('v1beta1', 'virtualmachineinstancetypes', 'secure'))['spec']
    await gate(['InstancetypeV1'])
    await eventually(areAllServed, () => 'v1 is not served')
    await storeAs('v1')
    await migrate()
    await gate([])
    await eventually(
      async () => !(await isServed()),
      () => 'v1 is still served',
    )
    assert.equal(await state(), 'Webhook ["v1"]')
    assert.deepEqual((await get('v1beta1', 'virtualmachineinstancetypes', 'secure'))['spec'], before)
    await storeAs('v1beta1')
    await migrate()
    await eventually(async () => (await state()) === 'None ["v1beta1"]', state)
    assert.deepEqual((await get('v1beta1', 'virtualmachineinstancetypes', 'secure'))['spec'], before)
  })
})
