import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { noKubectl } from '../support/kubectl.ts'
import { repository } from '../support/machine.ts'
import { execute } from './host/host.ts'
import { installationOn } from './installation/installation.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { programPath } from './programs/build.ts'
import { foldersOf } from './settings.ts'

const work = await mkdtemp(join(tmpdir(), 'steadyvm-helm-'))
const folders = foldersOf({ home: join(work, 'cluster') })
const cluster = new KubernetesCluster(folders, () => {})
const { own, buildImages, steadyvm, installed, launcherOf, getJson } = installationOn(cluster, { work })
const next = 'v99.0.0'
const program = programPath(folders.programs, 'helm')
const noHelm = !existsSync(program) && `no ${program}: run "node test/kubernetes/cluster.ts build helm"`

const helm = (...args: readonly string[]): Promise<string> =>
  execute(cluster.inNetwork([program, '--kubeconfig', cluster.kubeconfig, '--namespace', 'kubevirt', ...args]))

suite('the Helm chart on a Kubernetes cluster', { skip: noHelm || (noKubectl === false ? cluster.obstacle : noKubectl) }, () => {
  const chart = join(work, 'chart')

  before(async () => {
    const images = await Promise.all([own, next].map((version) => buildImages(version)))
    await cluster.up({ nodes: 1, features: 'ImageVolume=true' })
    for (const folder of images) await cluster.load(join(folder, 'images.tar'))
    await steadyvm('package', 'helm', '--output', chart)
  })
  after(async () => {
    await cluster.down({ data: true })
    await rm(work, { recursive: true, force: true })
  })

  test('refuses unknown values and other namespaces', async () => {
    await helm('lint', '--strict', chart)
    await assert.rejects(helm('install', 'steadyvm', chart, '--set', 'registri=a'), /additional properties 'registri' not allowed/)
    await assert.rejects(helm('install', 'steadyvm', chart, '--namespace', 'default'), /add --namespace kubevirt/)
  })

  test('installs the operator and, with its values, the components', async () => {
    await cluster.kubectl(['create', 'namespace', 'kubevirt'])
    await cluster.kubectl(['label', 'namespace', 'kubevirt', 'pod-security.kubernetes.io/enforce=privileged'])
    const values = ['operator.replicas=1', 'kubevirt.spec.configuration.evictionStrategy=LiveMigrate']
    await helm('install', 'steadyvm', chart, ...values.flatMap((value) => ['--set', value]))
    await installed(own)
    interface KubeVirt {
      readonly spec: { readonly imagePullPolicy?: string; readonly configuration?: { readonly evictionStrategy?: string } }
    }
    const { spec } = await getJson<KubeVirt>('kubevirt', 'kubevirt', '-n', 'kubevirt')
    assert.deepEqual([spec.imagePullPolicy, spec.configuration?.evictionStrategy], ['IfNotPresent', 'LiveMigrate'])
    for (const name of ['1-instancetype', '2-preference', '3-virtual-machine'])
      await cluster.kubectl(['apply', '-f', join(repository, 'examples', `${name}.yaml`)])
    await cluster.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=180s'])
  })

  test('upgrades to the chart of another version and back, and the guest runs on', async () => {
    const { uid } = await launcherOf('demo')
    const other = join(work, 'other-chart')
    await cp(chart, other, { recursive: true })
    for (const file of ['Chart.yaml', 'templates/operator.yaml']) {
      const path = join(other, file)
      await writeFile(path, (await readFile(path, 'utf8')).replaceAll(own, next))
    }
    await helm('upgrade', 'steadyvm', other, '--reuse-values')
    await installed(next)
    await helm('rollback', 'steadyvm', '1')
    await installed(own)
    assert.equal((await launcherOf('demo')).uid, uid)
  })

  test('is removed after the KubeVirt object, which Helm keeps', async () => {
    await cluster.kubectl(['delete', 'vm/demo', '--timeout=120s'])
    await cluster.kubectl(['delete', 'kubevirt/kubevirt', '-n', 'kubevirt', '--timeout=180s'])
    await helm('uninstall', 'steadyvm', '--wait')
    const left = await cluster.kubectl([
      'get',
      'deploy,ds,sa,role,rolebinding,secret,cm,clusterrole,clusterrolebinding',
      '-n',
      'kubevirt',
      '-o',
      'name',
    ])
    assert.doesNotMatch(left, /steadyvm|virt-/)
  })
})
