import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, repository } from '../support/machine.ts'
import { execute } from './host/host.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { readRightsUse } from './installation/rights.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-guests-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { own, buildImages, steadyvm, apply, installed, getJson, launcherOf, inGuest } = installationOn(cluster, { work })
const next = 'v99.0.0'

suite('guests on a Kubernetes cluster of three nodes', { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  let objectsBefore: readonly string[] = []
  let manifests = ''
  let removedAt = new Date(0)

  before(async () => {
    const images = await Promise.all([own, next].map((version) => buildImages(version)))
    await cluster.up({ nodes: 3, features: 'ImageVolume=true' })
    for (const folder of images) await cluster.load(join(folder, 'images.tar'))
    objectsBefore = await listObjects()
    manifests = await steadyvm('install', '--part', 'operator')
  })
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  test('images that are built twice have the same digests', async () => {
    const again = await buildImages(own, 'again')
    assert.deepEqual(readFileSync(join(again, 'index.json')), readFileSync(join(work, `images-${own}`, 'index.json')))
  })

  test('kubectl installs the operator, which installs the components', async () => {
    await apply(manifests)
    await apply(await steadyvm('install', '--part', 'kubevirt'))
    await installed(own)
    const configuration = { evictionStrategy: 'LiveMigrate' }
    await cluster.kubectl([
      'patch',
      'kubevirt',
      'kubevirt',
      '-n',
      'kubevirt',
      '--type=merge',
      '-p',
      JSON.stringify({ spec: { configuration } }),
    ])
  })

  test('the cluster meets all requirements, and the installation is found', async () => {
    const findings = JSON.parse(await steadyvm('doctor', '--kubeconfig', cluster.kubeconfig, '-o', 'json')) as {
      readonly check: string
      readonly state: string
      readonly detail: string
    }[]
    const warned = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check)
    assert.deepEqual(warned, ['accelerator'], JSON.stringify(findings))
    assert.match(findings.find(({ check }) => check === 'installation')?.detail ?? '', new RegExp(`${own}, available`))
  })

  test('a VM of the examples runs, and its guest answers', async () => {
    for (const name of ['1-instancetype', '2-preference', '3-virtual-machine'])
      await cluster.kubectl(['apply', '-f', join(repository, 'examples', `${name}.yaml`)])
    await cluster.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=180s'])
    assert.equal(await inGuest('demo', 'echo kept >/tmp/kept; cat /tmp/kept'), 'kept')
  })

  test('a guest lives on when its node agent is killed', async () => {
    const { node } = await launcherOf('demo')
    await cluster.kubectl([
      'delete',
      'pod',
      '-n',
      'kubevirt',
      '-l',
      'kubevirt.io=virt-handler',
      '--field-selector',
      `spec.nodeName=${node}`,
    ])
    await cluster.kubectl(['wait', 'pods', '-n', 'kubevirt', '-l', 'kubevirt.io=virt-handler', '--for=condition=Ready', '--timeout=180s'])
    assert.equal(await inGuest('demo', 'cat /tmp/kept'), 'kept')
  })

  test('a node agent can modify neither other nodes nor their guests', async () => {
    const { node } = await launcherOf('demo')
    const { clusters } = JSON.parse(await cluster.kubectl(['config', 'view', '--raw', '--minify', '-o', 'json'])) as {
      clusters: readonly { cluster: { server: string } }[]
    }
    const asAgentOf = async (name: string, ...args: readonly string[]): Promise<string> => {
      const account = ['create', 'token', 'virt-handler', '-n', 'kubevirt', '--bound-object-kind', 'Node', '--bound-object-name', name]
      const token = (await cluster.kubectl(account)).trim()
      const server = clusters[0]?.cluster.server ?? ''
      const options = ['--kubeconfig=/dev/null', `--server=${server}`, '--insecure-skip-tls-verify', `--token=${token}`]
      return execute(cluster.inNetwork(['kubectl', ...options, ...args]))
    }
    const other =
      (await cluster.kubectl(['get', 'nodes', '-o', 'name']))
        .trim()
        .split('\n')
        .find((name) => name !== `node/${node}`) ?? ''
    const label = ['label', `node/${node}`, 'kubevirt.io/schedulable=true', '--overwrite']
    const annotate = ['annotate', 'vmi/demo', 'example.com/note=mine', '--overwrite']
    for (const command of [label, annotate]) {
      await asAgentOf(node, ...command)
      await assert.rejects(asAgentOf(other.slice('node/'.length), ...command), /virt-handler of node \S+ is not allowed to modify/)
    }
    await assert.rejects(asAgentOf(node, 'label', `node/${node}`, 'zone=a'), /only allowed to modify labels of kubevirt/)
    await assert.rejects(asAgentOf(node, 'taint', 'node', node, 'k=v:NoSchedule'), /only allowed to modify labels and annotations/)
  })

  test('commands explain the VM, and its hardware is recorded', async () => {
    assert.match(await steadyvm('why', 'demo'), /VirtualMachineInstancetype small/)
    assert.match(await steadyvm('plan', '-f', join(repository, 'examples/1-instancetype.yaml')), /None of 1 VMs is concerned/)
    await eventually(
      async () => (await cluster.kubectl(['get', 'hardwarerecords', '-o', 'name'])).includes('demo'),
      () => 'no hardware record',
    )
  })

  test('a snapshot is taken', async () => {
    const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'demo' }
    const snapshot = {
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name: 'first' },
      spec: { source },
    }
    await cluster.kubectl(['apply', '-f', '-'], [snapshot])
    await cluster.kubectl(['wait', 'vmsnapshot/first', '--for=condition=Ready', '--timeout=60s'])
  })

  test('a guest migrates to another node and keeps its memory', async () => {
    const { node } = await launcherOf('demo')
    await steadyvm('migrate', 'demo')
    await eventually(
      async () => (await launcherOf('demo')).node !== node,
      async () => JSON.stringify(await migrations()),
    )
    assert.equal(await inGuest('demo', 'cat /tmp/kept'), 'kept')
  })

  test('a drained node hands its guest over', async () => {
    const { node } = await launcherOf('demo')
    const which = ['--ignore-daemonsets', '--delete-emptydir-data', '--pod-selector=kubevirt.io=virt-launcher']
    await cluster.kubectl(['drain', node, ...which, '--timeout=170s'])
    assert.notEqual((await launcherOf('demo')).node, node)
    await cluster.kubectl(['uncordon', node])
    assert.equal(await inGuest('demo', 'cat /tmp/kept'), 'kept')
  })

  for (const version of [next, own]) {
    test(`the operator of ${version} replaces all components, and the guest runs on`, async () => {
      const { uid } = await launcherOf('demo')
      await apply(manifests.replaceAll(own, version))
      await installed(version)
      assert.equal((await launcherOf('demo')).uid, uid)
      assert.equal(await inGuest('demo', 'cat /tmp/kept'), 'kept')
    })
  }

  test('a VM restarts when it is told to', async () => {
    const { uid } = await launcherOf('demo')
    await steadyvm('restart', 'demo')
    await eventually(
      async () => {
        // Between the old and the new instance there is none.
        const { items } = await getJson<{ items: { status?: { phase?: string; activePods?: object } }[] }>('vmi')
        const status = items[0]?.status
        return status?.phase === 'Running' && !Object.keys(status.activePods ?? {}).includes(uid)
      },
      () => cluster.kubectl(['get', 'vm,vmi,pods', '-o', 'yaml']),
    )
  })

  test('after the uninstallation no object is left', async () => {
    await cluster.kubectl(['delete', 'vm/demo', 'vmsnapshot/first', '--timeout=120s'])
    await cluster.kubectl(['delete', 'kubevirt/kubevirt', '-n', 'kubevirt', '--timeout=180s'])
    removedAt = new Date()
    await execute(
      cluster.inNetwork(['kubectl', '--kubeconfig', cluster.kubeconfig, 'delete', '--ignore-not-found', '-f', '-', '--timeout=180s']),
      {
        input: manifests,
      },
    )
    const known = new Set(objectsBefore)
    const left = (await listObjects()).filter((name) => !known.has(name))
    assert.deepEqual(left, [])
  })

  test('no component was refused a request, and each right is used or has a reason', async () => {
    assert.deepEqual(await readRightsUse(folders, removedAt), { refused: [], unexplained: [] })
  })
})

const migrations = (): Promise<unknown> => getJson('virtualmachineinstancemigrations')

/** Lists all objects but those that come and go by themselves. */
async function listObjects(): Promise<readonly string[]> {
  const kinds = (await cluster.kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n')
  const transient = /^(events|leases|endpointslices|csinodes|componentstatuses|nodes|pods)(\.|$)/
  const names = await Promise.all(
    kinds
      .filter((kind) => !transient.test(kind))
      .map(async (kind) => cluster.kubectl(['get', kind, '-A', '-o', 'name', '--show-kind']).catch(() => '')),
  )
  return names.flatMap((text) => text.trim().split('\n')).filter((name) => name !== '')
}
