import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import type { VirtualMachineInstance } from '#api/kubevirt/v1/virtual-machine-instance.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { type Instancetype, hasFormat, type Preference, referencesOf, type RevisionFormat } from '#features/instancetype/index.ts'
import { legacyShapes } from '#features/revision-upgrade/legacy-revisions.fixture.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, type TestMachine } from '../support/machine.ts'
import { demoVirtualMachine } from '../support/manifests.ts'
import { testClusterHome } from '../support/place.ts'
import { OldCluster } from '../support/old-cluster.ts'

const condition = '--for=condition=InstancetypeRevisionsUpToDate'
const matchers = {
  instancetype: { kind: 'VirtualMachineInstancetype', name: 'small' },
  preference: { kind: 'VirtualMachinePreference', name: 'plain' },
}

/** Situations of a VM; each is tested with every legacy shape of revisions. */
const situations = ['halted', 'running', 'explicit', 'shared', 'snapshot', 'restoring'] as const
type Situation = (typeof situations)[number]

interface Guest {
  readonly pid: number
  readonly uid: string
  readonly uptime: number
}

suite('revisions in every legacy format, in a cluster with running guests', { skip: noKubectl }, () => {
  let machine: TestMachine
  let old: OldCluster
  /** Size of each VM before the controllers saw its old revisions. */
  const sizes = new Map<string, string>()
  const guests = new Map<string, Guest>()
  /** Old revisions by the name of their VM. */
  const oldNames = new Map<string, readonly string[]>()

  before(async () => {
    machine = await startMachine()
    old = new OldCluster(machine)
    await build()
    const start = await old.stopControllers()
    await convertToLegacy()
    for (const name of sizes.keys()) assert.equal(await sizeOf(name), sizes.get(name), `${name} is read as something else by virt-api`)
    await machine.kubectl(['delete', 'vminstancetype/small', 'vmpref/plain'])
    await start()
  })
  after(() => machine[Symbol.asyncDispose]())

  const nameOf = (situation: Situation, index: number): string => `${situation}-${index}`
  const names = (...of: readonly Situation[]): string[] =>
    of.flatMap((situation) => legacyShapes.map((_, index) => nameOf(situation, index)))

  /** Creates the objects with the current release. */
  async function build(): Promise<void> {
    await old.create([
      published('VirtualMachineInstancetype', 'small', { cpu: { guest: 1 }, memory: { guest: '96Mi' } }),
      published('VirtualMachinePreference', 'plain', { cpu: { preferredCPUTopology: 'preferCores' } }),
    ])
    const others = legacyShapes.map((_, index) => `${nameOf('shared', index)}-too`)
    const running = names('running', 'restoring')
    const halted = [...names('halted', 'explicit', 'shared', 'snapshot'), ...others]
    await old.create([...running.map((name) => vm(name, 'Always')), ...halted.map((name) => vm(name, 'Halted'))])
    await machine.kubectl(['wait', 'vm', '--all', '--for=jsonpath={.status.preferenceRef.controllerRevisionRef.name}', '--timeout=110s'])
    await machine.kubectl(['wait', ...running.map((name) => `vm/${name}`), '--for=condition=Ready', '--timeout=110s'])
    const snapshots = names('snapshot', 'restoring')
    await old.create(snapshots.map((name) => about('VirtualMachineSnapshot', `of-${name}`, { source: ref(name) })))
    await machine.kubectl(['wait', 'vmsnapshot', '--all', '--for=jsonpath={.status.readyToUse}=true', '--timeout=100s'])
    await old.create(names('restoring').map((name) => restore(name, `of-${name}`, name)))
    await machine.kubectl(['wait', 'vmrestore', '--all', '--for=jsonpath={.status.complete}=false', '--timeout=60s'])
    for (const name of [...running, ...halted]) sizes.set(name, await sizeOf(name))
    for (const name of names('running')) guests.set(name, await guestOf(name))
  }

  /** Converts the objects to the state that an old release left. */
  async function convertToLegacy(): Promise<void> {
    const live = await old.list<Instancetype | Preference>('vminstancetype', 'vmpref')
    const held = live.map(({ metadata: { name, uid, generation }, ...rest }) => ({ ...rest, metadata: { name, uid, generation } }))
    const vms = new Map((await old.list<VirtualMachine>('vm')).map((found) => [found.metadata.name, found]))
    const snapshots = new Map((await old.list<VirtualMachineSnapshot>('vmsnapshot')).map((found) => [found.metadata.name, found]))
    const contents = await old.list<VirtualMachineSnapshotContent>('vmsnapshotcontent')
    for (const [index, shape] of legacyShapes.entries()) {
      for (const situation of situations) {
        const name = nameOf(situation, index)
        const content = contents.find(({ spec }) => spec.virtualMachineSnapshotName === `of-${name}`)
        const object = content ?? vms.get(name)
        const holder = content === undefined ? object : snapshots.get(`of-${name}`)
        if (object === undefined || holder === undefined) throw new TypeError(`There is no ${name}`)
        const how = { owner: ownerOf(holder), published: held as typeof live, isExplicit: situation === 'explicit' }
        oldNames.set(name, await old.convertToLegacy(object, shape, how))
        const other = vms.get(`${name}-too`)
        if (other !== undefined) await old.point(other, oldNames.get(name) ?? [])
      }
    }
  }

  async function sizeOf(name: string): Promise<string> {
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/${name}/expand-spec`
    const { spec } = JSON.parse(await machine.kubectl(['get', '--raw', path])) as VirtualMachine
    return JSON.stringify(spec.template)
  }

  async function guestOf(name: string): Promise<Guest> {
    let uptime = 0
    await eventually(
      async () => {
        uptime = Number(await machine.inGuest('cut -d" " -f1 /proc/uptime', name))
        return uptime > 0
      },
      () => `the guest of ${name} says nothing`,
      120_000,
    )
    const { pid = 0 } = machine.guests().find((guest) => guest.name === name)?.process ?? {}
    const uid = await machine.kubectl(['get', 'vmi', name, '-o', 'jsonpath={.metadata.uid}'])
    return { pid, uid, uptime }
  }

  /** Returns the references and revisions that do not have the wanted format. */
  async function faults(form: RevisionFormat, isOfInterest: (name: string) => boolean): Promise<readonly string[]> {
    const [vms, vmis, contents, revisions] = await Promise.all([
      old.list<VirtualMachine>('vm'),
      old.list<VirtualMachineInstance>('vmi'),
      old.list<VirtualMachineSnapshotContent>('vmsnapshotcontent'),
      old.list<ControllerRevision>('controllerrevision'),
    ])
    const stored = new Map(revisions.map((revision) => [revision.metadata.name ?? '', revision]))
    const told: string[] = []
    const check = (name: string, object: KubeObject, holder: KubeObject = object): void => {
      const references = referencesOf(object, holder)
      if (references.length < 2) told.push(`${name}: nothing is named in ${object.kind ?? ''}`)
      for (const { written, revision, path, family } of references) {
        const found = stored.get(revision)
        if (written !== revision) told.push(`${name}${path}: ${written} stands for ${revision}`)
        if (found === undefined || !hasFormat(found, family, form))
          told.push(`${name}${path}: ${revision} ${found === undefined ? 'is missing' : 'is old'}`)
      }
    }
    for (const object of vms.filter(({ metadata }) => isOfInterest(metadata.name ?? ''))) {
      const name = object.metadata.name ?? ''
      check(name, object)
      const vmi = vmis.find(({ metadata }) => metadata.name === name)
      if (vmi === undefined) continue
      const started = stored.get(vmi.status?.virtualMachineRevisionName ?? '')
      if (started === undefined) told.push(`${name}: nobody knows what its guest was started from`)
      else check(name, { ...started, kind: 'ControllerRevision' }, object)
      if (object.status?.conditions?.some(({ type }) => type === 'RestartRequired') === true) told.push(`${name}: is to be restarted`)
    }
    for (const content of contents) {
      const name = (content.spec.virtualMachineSnapshotName ?? '').replace('of-', '')
      if (isOfInterest(name)) check(name, content)
    }
    for (const [name, former] of oldNames) {
      if (!isOfInterest(name)) continue
      const left = former.map((revision) => stored.get(revision)).filter((revision) => revision !== undefined)
      for (const revision of left) {
        const family = revision.metadata.name === former[0] ? 'instancetype' : 'preference'
        if (!hasFormat(revision, family, form)) told.push(`${name}: ${revision.metadata.name ?? ''} is still there`)
      }
    }
    return told
  }

  async function settled(form: RevisionFormat, isOfInterest: (name: string) => boolean): Promise<void> {
    let left: readonly string[] = []
    await eventually(
      async () => {
        left = await faults(form, isOfInterest)
        return left.length === 0
      },
      () => left.join('\n'),
      120_000,
    )
  }

  async function unchanged(...of: readonly string[]): Promise<void> {
    for (const name of of) assert.equal(await sizeOf(name), sizes.get(name), name)
  }

  async function notRestarted(): Promise<void> {
    for (const [name, { pid, uid, uptime }] of guests) {
      const now = await guestOf(name)
      assert.deepEqual([now.pid, now.uid], [pid, uid], name)
      assert.ok(now.uptime > uptime, `${name} was up for ${uptime} s, and is for ${now.uptime} s`)
    }
  }

  const gate = (featureGates: string[]): Promise<string> => {
    const body = JSON.stringify({ spec: { configuration: { developerConfiguration: { featureGates } } } })
    return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', body])
  }
  const waitForAll = (): Promise<string> => machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', condition, '--timeout=110s'])
  const isRestoring = (name: string): boolean => name.startsWith('restoring-')
  const now: RevisionFormat = { version: 'v1beta1', sharing: 'own' }

  test('revisions of VMs, guests and snapshots are upgraded to the latest version, and old ones deleted', async () => {
    await settled(now, (name) => !isRestoring(name))
    await unchanged(...sizes.keys())
  })

  test('guests keep running, and need no restart', () => notRestarted())

  test('revisions that a restore reads are kept until it ends', async () => {
    for (const [index, { isCurrent }] of legacyShapes.entries()) {
      const name = nameOf('restoring', index)
      const [content] = (await old.list<VirtualMachineSnapshotContent>('vmsnapshotcontent')).filter(
        ({ spec }) => spec.virtualMachineSnapshotName === `of-${name}`,
      )
      assert.deepEqual(
        content === undefined ? [] : referencesOf(content).map(({ written }) => written),
        oldNames.get(name),
        String(isCurrent),
      )
    }
    const halt = '{"spec":{"runStrategy":"Halted"}}'
    for (const name of names('restoring')) await machine.kubectl(['patch', 'vm', name, '--type=merge', '-p', halt])
    await machine.kubectl(['wait', 'vmrestore', '--all', '--for=jsonpath={.status.complete}=true', '--timeout=110s'])
    await waitForAll()
    await settled(now, () => true)
    await unchanged(...sizes.keys())
  })

  test('snapshots restore the state of their VM', async () => {
    const made = names('snapshot').map((name) => [name, `${name}-back`] as const)
    await old.create(made.map(([name, back]) => restore(back, `of-${name}`, back)))
    await machine.kubectl(['wait', 'vmrestore', '--all', '--for=jsonpath={.status.complete}=true', '--timeout=110s'])
    for (const [name, back] of made) assert.equal(await sizeOf(back), sizes.get(name), back)
  })

  test('all revisions are upgraded to v1 and back while guests keep running', async () => {
    for (const [gates, version] of [
      [['InstancetypeV1'], 'v1'],
      [[], 'v1beta1'],
    ] as const) {
      await gate([...gates])
      await waitForAll()
      assert.deepEqual(await faults({ version, sharing: 'own' }, () => true), [])
      await unchanged(...sizes.keys())
      await notRestarted()
    }
  })

  test('the report calls the old versions safe to remove', async () => {
    const { code, stdout, stderr } = await machine.steadyvm('revisions', '-A', '-o', 'json')
    assert.equal(code, 0, stderr)
    const { versions } = JSON.parse(stdout) as { versions: { version: string; safeToRemove: string }[] }
    assert.deepEqual(
      versions.filter(({ safeToRemove }) => safeToRemove === 'yes').map(({ version }) => version),
      ['v1alpha1', 'v1alpha2'],
    )
  })

  test('no component was refused by the shipped RBAC, and only virt-controller has changed revisions', () => {
    // On a cluster only the audit log has them.
    const found = testClusterHome === undefined ? readdirSync(machine.home, { recursive: true, encoding: 'utf8' }) : []
    const refused = found
      .filter((path) => path.endsWith('.log') && !path.includes('audit'))
      .flatMap((path) =>
        readFileSync(join(machine.home, path), 'utf8')
          .split('\n')
          .filter((line) => /forbidden/i.test(line)),
      )
    assert.deepEqual(refused, [])
    const audit = machine.auditEvents() as unknown as readonly AuditEvent[]
    assert.ok(audit.length > 0)
    const ours = audit.filter(({ user }) => user.username.startsWith('system:'))
    assert.deepEqual(
      ours.filter(({ responseStatus }) => responseStatus?.code === 403),
      [],
    )
    const writers = new Set(
      ours
        // The policy of a cluster logs reads, too.
        .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
        .filter(({ objectRef }) => moved.has(`${objectRef?.resource ?? ''}/${objectRef?.subresource ?? ''}`))
        .map(({ user }) => user.username),
    )
    assert.deepEqual(
      [...writers].filter((user) => !user.startsWith('system:serviceaccount:kube-system:')),
      ['system:serviceaccount:kubevirt:virt-controller'],
    )
  })
})

/** Revisions, and the resources that reference them. */
const moved = new Set(['controllerrevisions/', 'virtualmachines/', 'virtualmachines/status', 'virtualmachinesnapshotcontents/'])

interface AuditEvent {
  readonly verb: string
  readonly user: { readonly username: string }
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
}

function published(kind: string, name: string, spec: object): object {
  return { apiVersion: 'instancetype.kubevirt.io/v1beta1', kind, metadata: { name }, spec }
}

function vm(name: string, runStrategy: string): object {
  const demo = JSON.parse(demoVirtualMachine(name, { runStrategy, instancetype: 'small' })) as VirtualMachine
  return { ...demo, spec: { ...demo.spec, ...matchers } }
}

function about(kind: string, name: string, spec: object): object {
  return { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind, metadata: { name }, spec }
}

function ref(name: string): object {
  return { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name }
}

function restore(name: string, from: string, to: string): object {
  const spec = { virtualMachineSnapshotName: from, target: ref(to), targetReadinessPolicy: 'WaitEventually' }
  return about('VirtualMachineRestore', name, spec)
}

function ownerOf({ apiVersion = '', kind = '', metadata }: KubeObject): OldClusterOwner {
  return { apiVersion, kind, name: metadata?.name ?? '', uid: metadata?.uid ?? '', controller: true, blockOwnerDeletion: true }
}

type OldClusterOwner = Parameters<OldCluster['convertToLegacy']>[2]['owner']
