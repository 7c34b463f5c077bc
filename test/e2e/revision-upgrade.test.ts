import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, suite, test } from 'node:test'
import { signalProcess } from '#machine/supervisor/processes.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { repeats, sample } from '../support/effort.ts'

/**
 * Number of kills of virt-controller during the upgrade. Each costs the restart back-off of the
 * kubelet.
 */
const kills = repeats({ default: 1, long: 3 })
const halted = 20

const type = {
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachineInstancetype',
  metadata: { name: 'small' },
  spec: { cpu: { guest: 1 }, memory: { guest: '32Mi' } },
}

const preference = {
  apiVersion: 'instancetype.kubevirt.io/v1beta1',
  kind: 'VirtualMachinePreference',
  metadata: { name: 'plain' },
  spec: { cpu: { preferredCPUTopology: 'cores' } },
}

function vm(name: string, runStrategy: string): object {
  const template = { spec: { domain: { devices: { autoattachGraphicsDevice: false } }, terminationGracePeriodSeconds: 0 } }
  const matchers = { instancetype: { name: 'small', kind: type.kind }, preference: { name: 'plain', kind: preference.kind } }
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name }, spec: { runStrategy, ...matchers, template } }
}

const refs = ['status.instancetypeRef.controllerRevisionRef.name', 'status.preferenceRef.controllerRevisionRef.name']

suite('revisions of a cluster that is upgraded', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    for (const object of [type, preference, vm('web', 'Always')]) await apply(object)
    await apply({ apiVersion: 'v1', kind: 'List', items: Array.from({ length: halted }, (_, index) => vm(`halted-${index}`, 'Halted')) })
    await machine.kubectl(['wait', 'vm/web', '--for=condition=Ready', '--timeout=90s'])
    await settled('v1beta1')
  })
  after(() => machine[Symbol.asyncDispose]())

  const apply = (object: object): Promise<string> => machine.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const patch = (target: readonly string[], body: object): Promise<string> =>
    machine.kubectl(['patch', ...target, '--type=merge', '-p', JSON.stringify(body)])
  const qemus = (): number[] => machine.guests().map(({ process }) => process.pid)
  const items = async (kind: string): Promise<KubeJson[]> => Object.values((await machine.getJson(kind))['items'] ?? {})
  const isHardware = (revision: KubeJson): boolean => !textAt(revision, 'metadata.name').startsWith('revision-start-vm-')

  async function gates(...featureGates: string[]): Promise<void> {
    const spec = { configuration: { developerConfiguration: { featureGates } } }
    await patch(['kubevirt', 'kubevirt', '-n', 'kubevirt'], { spec })
  }

  /** Asserts that every revision that a VM references exists. */
  async function check(): Promise<void> {
    // VMs first: a revision is deleted only after its VM dropped the reference.
    const vms = await items('vm')
    const there = new Set((await items('controllerrevisions')).map((revision) => textAt(revision, 'metadata.name')))
    for (const virtualMachine of vms) {
      const now = textAt(virtualMachine, 'metadata.name')
      for (const ref of refs) {
        const name = textAt(virtualMachine, ref)
        if (name === '' || there.has(name)) continue
        // Between the two answers it may have been replaced.
        assert.notEqual(textAt(await machine.getJson('vm', now), ref), name, `${now} names ${name}, which is not there`)
      }
    }
  }

  async function settled(version: string): Promise<void> {
    const wanted = `instancetype.kubevirt.io/${version}`
    const stale = async (): Promise<string[]> => {
      const revisions = (await items('controllerrevisions')).filter(isHardware)
      const named = (await items('vm')).flatMap((virtualMachine) => refs.map((ref) => textAt(virtualMachine, ref)))
      const old = revisions.filter((revision) => textAt(revision, 'data.apiVersion') !== wanted)
      return [...old.map((revision) => textAt(revision, 'metadata.name')), ...named.filter((name) => name === '')]
    }
    await eventually(
      async () => (await stale()).length === 0,
      async () => (await stale()).join(', '),
      180_000,
    )
    assert.equal((await items('controllerrevisions')).filter(isHardware).length, 2 * (halted + 1))
  }

  test('are upgraded to the new version and back while guests run and virt-controller is killed', async () => {
    const [pids, guest] = [qemus(), textAt(await machine.getJson('vmi', 'web'), 'metadata.uid')]
    for (let round = 0; round <= kills; round += 1) {
      const isNew = round % 2 === 0
      await gates(...(isNew ? ['InstancetypeV1'] : []))
      if (round < kills) {
        await sleep(100 * (round % 5))
        const controllers = machine.processes().filter(({ role }) => role === 'virt-controller')
        for (const controller of controllers) signalProcess(controller, 'SIGKILL')
      }
      await check()
      await settled(isNew ? 'v1' : 'v1beta1')
      await check()
    }
    assert.deepEqual(qemus(), pids)
    const vmi = await machine.getJson('vmi', 'web')
    assert.equal(textAt(vmi, 'metadata.uid'), guest)
    const start = await machine.getJson('controllerrevision', textAt(vmi, 'status.virtualMachineRevisionName'))
    const web = await machine.getJson('vm', 'web')
    assert.equal(textAt(start, 'data.spec.instancetype.revisionName'), textAt(web, refs[0] ?? ''))
    assert.doesNotMatch(JSON.stringify(web['status']), /RestartRequired/)
  })

  test('of KubeVirt 0.57 are upgraded too, and found under their old names', async () => {
    await gates()
    await settled('v1beta1')
    const uid = textAt(await machine.getJson('vminstancetype', 'small'), 'metadata.uid')
    const old = `halted-0-small-${uid}-1`
    const spec = Buffer.from(JSON.stringify(type.spec)).toString('base64')
    // Without an owner, as from a backup.
    await apply({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: old },
      data: { apiVersion: 'instancetype.kubevirt.io/v1alpha1', spec },
      revision: 1,
    })
    const manifest = { spec: { instancetype: { revisionName: old } } }
    await patch(['vm', 'halted-0'], manifest)
    await eventually(
      async () => !(await items('controllerrevisions')).some((revision) => textAt(revision, 'metadata.name') === old),
      () => machine.kubectl(['get', 'vm', 'halted-0', '-o', 'yaml']),
    )
    const now = textAt(await machine.getJson('vm', 'halted-0'), 'spec.instancetype.revisionName')
    assert.notEqual(now, old)
    await patch(['vm', 'halted-0'], manifest)
    await patch(['vm', 'halted-0'], { spec: { runStrategy: 'Always' } })
    await machine.kubectl(['wait', 'vm/halted-0', '--for=condition=Ready', '--timeout=90s'])
    assert.equal(textAt(await machine.getJson('vm', 'halted-0'), 'spec.instancetype.revisionName'), old)
    const events = await machine.kubectl(['get', 'events', '-o', 'jsonpath={.items[*].reason}'])
    assert.match(events, /InstancetypeRevisionUpgraded/)
    assert.doesNotMatch(events, /InstancetypeRevisionUpgradeFailed/)
  })

  test('keep names that a manifest owns by server-side apply, which still applies without a conflict', async () => {
    // Without an owner, as from a backup; its name proves that KubeVirt captured it for this VM.
    const old = `pinned-small-${textAt(await machine.getJson('vminstancetype', 'small'), 'metadata.uid')}-1`
    const spec = Buffer.from(JSON.stringify({ ...type.spec, cpu: { guest: 3 } })).toString('base64')
    const data = { apiVersion: 'instancetype.kubevirt.io/v1alpha1', spec }
    const copy = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: old }, data, revision: 1 }
    await apply(copy)
    const pinned = { ...vm('pinned', 'Halted') } as { spec: { instancetype: object } }
    pinned.spec.instancetype = { ...pinned.spec.instancetype, revisionName: old }
    const fromGit = (): Promise<string> =>
      machine.kubectl(['apply', '--server-side', '--field-manager=git', '-f', '-'], JSON.stringify(pinned))
    await fromGit()
    await eventually(
      async () => !(await items('controllerrevisions')).some((revision) => textAt(revision, 'metadata.name') === old),
      () => machine.kubectl(['get', 'vm', 'pinned', '-o', 'yaml', '--show-managed-fields']),
    )
    await fromGit()
    const stored = await machine.getJson('vm', 'pinned')
    assert.equal(textAt(stored, 'spec.instancetype.revisionName'), old)
    const expanded = await machine.kubectl([
      'get',
      '--raw',
      '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/pinned/expand-spec',
    ])
    assert.equal(textAt(JSON.parse(expanded) as KubeJson, 'spec.template.spec.domain.cpu.cores'), '3')
  })

  const others = [
    { family: 'instancetype', kind: 'VirtualMachineInstancetype', spec: type.spec },
    { family: 'instancetype', kind: 'VirtualMachineClusterInstancetype', spec: type.spec },
    { family: 'preference', kind: 'VirtualMachinePreference', spec: preference.spec },
    { family: 'preference', kind: 'VirtualMachineClusterPreference', spec: preference.spec },
  ]
  for (const { family, kind, spec } of sample(others, 1)) {
    // "... from v1beta1 without labels to latest" in KubeVirt's functional tests.
    test(`of another ${kind} are replaced and deleted when the VM's status names them and the VM controls them`, async () => {
      const { apiVersion } = type
      const other = { apiVersion, kind, metadata: { name: 'other' }, spec }
      await apply(other)
      const { name: owner, uid } = { name: 'halted-1', uid: textAt(await machine.getJson('vm', 'halted-1'), 'metadata.uid') }
      const otherUid = textAt(await machine.getJson(kind, 'other'), 'metadata.uid')
      const old = `${owner}-other-${otherUid}-1`
      const label = (key: string): string => `instancetype.kubevirt.io/object-${key}`
      await apply({
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: {
          name: old,
          labels: { [label('kind')]: kind, [label('name')]: 'other', [label('uid')]: otherUid, [label('generation')]: '1' },
          ownerReferences: [
            { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: owner, uid, controller: true, blockOwnerDeletion: true },
          ],
        },
        data: { ...other, metadata: { name: 'other', uid: otherUid, generation: 1 } },
        revision: 0,
      })
      const ref = `status.${family}Ref.controllerRevisionRef.name`
      const before = textAt(await machine.getJson('vm', owner), ref)
      await patch(['vm', owner, '--subresource=status'], { status: { [`${family}Ref`]: { controllerRevisionRef: { name: old } } } })
      const names = async (): Promise<string[]> => (await items('controllerrevisions')).map((each) => textAt(each, 'metadata.name'))
      await eventually(
        async () => !(await names()).includes(old),
        () => machine.kubectl(['get', 'vm', owner, '-o', 'yaml']),
      )
      const now = textAt(await machine.getJson('vm', owner), ref)
      assert.ok(![before, old].includes(now), now)
      const upgraded = await machine.getJson('controllerrevision', now)
      assert.deepEqual([textAt(upgraded, 'data.apiVersion'), textAt(upgraded, 'data.metadata.uid')], [apiVersion, otherUid])
    })
  }
})
