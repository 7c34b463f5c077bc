import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { newestKubectl, noKubectl } from '../support/kubectl.ts'
import { eventually } from '../support/machine.ts'
import { busyboxImage } from './components/node.ts'
import { execute } from './host/host.ts'
import { KubernetesCluster } from './kubernetes-cluster.ts'
import { cgroupName, foldersOf } from './settings.ts'

const home = await mkdtemp(join(tmpdir(), 'steadyvm-kubernetes-'))
const folders = foldersOf({ home })
const cluster = new KubernetesCluster(folders, () => {})
const nodes = ['node-1', 'node-2', 'node-3']
const wait = '--timeout=180s'

suite('a Kubernetes cluster of three nodes', { skip: noKubectl === false ? cluster.obstacle : noKubectl }, () => {
  before(async () => {
    await cluster.up({ nodes: nodes.length, features: 'ImageVolume=true' })
    await eventually(
      async () => (await cluster.kubectl(['get', 'serviceaccounts', '-o', 'name'])).includes('default'),
      () => 'no service account of the namespace',
    )
    await cluster.kubectl(['apply', '-f', '-'], [agents, web, webService])
    await cluster.kubectl(['rollout', 'status', 'daemonset/agent', wait])
    await cluster.kubectl(['rollout', 'status', 'deployment/web', wait])
  })
  after(() => cluster.down({ data: true }))

  test('a DaemonSet has a pod on each node, whose log can be read', async () => {
    const found = await Promise.all(nodes.map(async (node) => cluster.kubectl(['logs', await agentOn(node), '-c', 'mounter'])))
    assert.deepEqual(
      found.map((log) => log.trim()),
      nodes.map((node) => `runs on ${node}`),
    )
  })

  test('a pod with hostPID sees the processes of its node alone', async () => {
    const kubelets = await inAgent('node-2', 'mounter', 'ps -o args | grep "^[^ ]*/kubelet "')
    assert.match(kubelets, /--hostname-override=node-2 /)
    assert.equal(kubelets.trim().split('\n').length, 1)
  })

  test('what a privileged container mounts reaches another container', async () => {
    await inAgent('node-1', 'mounter', 'mkdir -p /shared/mount && mount -t tmpfs tmpfs /shared/mount && echo seen >/shared/mount/file')
    assert.equal((await inAgent('node-1', 'watcher', 'cat /shared/mount/file')).trim(), 'seen')
    await inAgent('node-1', 'mounter', 'umount /shared/mount')
  })

  test('pods and the control plane reach a service on all nodes', async () => {
    const address = await cluster.kubectl(['get', 'service', 'web', '-o', 'jsonpath={.spec.clusterIP}'])
    for (const node of nodes) {
      // The static wget of glibc systems cannot resolve addresses.
      const request = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 5 ${address} 80 | tail -1`
      const answers = await inAgent(node, 'watcher', `for i in 1 2 3 4 5 6 7 8; do ${request}; done`)
      assert.match(answers, /^(web-\S+\n){8}$/)
    }
    assert.match(await execute(cluster.inNetwork(['curl', '-sf', '--max-time', '5', `http://${address}`])), /^web-/)
  })

  test('port-forward leads to a pod', async () => {
    const script = `${newestKubectl().path} port-forward deployment/web 8081:8080 >/dev/null & trap "kill $!" EXIT
      for i in $(seq 100); do curl -sf --max-time 5 http://127.0.0.1:8081 && exit; sleep 0.1; done; exit 1`
    assert.match(await execute(cluster.inNetwork(['sh', '-c', script]), { environment: cluster.environment }), /^web-/)
  })

  test('an image is a volume', async () => {
    const volumes = [{ name: 'image', image: { reference: busyboxImage, pullPolicy: 'Never' } }]
    const mounts = { volumeMounts: [{ name: 'image', mountPath: '/image' }] }
    await cluster.kubectl(
      ['apply', '-f', '-'],
      [pod('image', { volumes }, { command: ['/image/bin/busybox', 'sleep', '100000'], ...mounts })],
    )
    await cluster.kubectl(['wait', 'pod/image', '--for=condition=Ready', wait])
  })

  test('claims get file systems and block devices of one node, and storage that all nodes share', async () => {
    const claims = [claim('files', 'local', 'Filesystem'), claim('disk', 'local', 'Block'), claim('both', 'shared', 'Block')]
    const own = pod(
      'own-volumes',
      { volumes: [volume('files'), volume('disk')] },
      { volumeMounts: [{ name: 'files', mountPath: '/files' }], volumeDevices: [{ name: 'disk', devicePath: '/dev/disk' }] },
    )
    const users = ['node-1', 'node-2'].map((nodeName) =>
      pod(`shares-${nodeName}`, { nodeName, volumes: [volume('both')] }, { volumeDevices: [{ name: 'both', devicePath: '/dev/disk' }] }),
    )
    await cluster.kubectl(['apply', '-f', '-'], [...claims, own])
    await cluster.kubectl(['wait', 'pvc/both', '--for=jsonpath={.status.phase}=Bound', wait])
    await cluster.kubectl(['apply', '-f', '-'], users)
    await cluster.kubectl(['wait', 'pod/own-volumes', 'pod/shares-node-1', 'pod/shares-node-2', '--for=condition=Ready', wait])
    await cluster.kubectl(['exec', 'own-volumes', '--', 'sh', '-c', 'echo kept >/files/file && dd if=/files/file of=/dev/disk conv=fsync'])
    await cluster.kubectl(['exec', 'shares-node-1', '--', 'sh', '-c', 'echo written by node-1 | dd of=/dev/disk conv=fsync'])
    assert.match(await cluster.kubectl(['exec', 'shares-node-2', '--', 'head', '-c', '17', '/dev/disk']), /^written by node-1/)
  })

  test('containers survive a kubelet and a container runtime that are killed', async () => {
    const stat = 'stat -c %Y /tmp/started'
    const started = await inAgent('node-2', 'mounter', stat)
    await cluster.kill('node-2', 'kubelet')
    await cluster.kill('node-2', 'containerd')
    await cluster.up()
    // A kubelet that has just started does not know its pods.
    await eventually(
      async () => (await inAgent('node-2', 'mounter', stat).catch(String)) === started,
      () => 'no longer the container that was started first',
    )
  })

  test('what was stored survives an API server that is killed', async () => {
    await cluster.kill('control-plane', 'kube-apiserver')
    await cluster.kill('control-plane', 'etcd')
    await cluster.up()
    assert.match(await cluster.kubectl(['get', 'deployment', 'web', '-o', 'name']), /web/)
  })

  test('a node comes back after a power cut', async () => {
    await cluster.kill('node-3')
    await cluster.up()
    await eventually(
      async () => (await inAgent('node-3', 'mounter', 'hostname').catch(String)).trim() === 'node-3',
      () => 'no pod on node-3',
    )
  })

  test('nothing is left after the end', async () => {
    await cluster.down({ data: true })
    assert.deepEqual(existsSync(home) ? readdirSync(home, { recursive: true }) : [], [])
    // Also those that kubelets put on top: they would keep the devices below.
    assert.equal((await execute(['losetup', '--list', '--noheadings', '--output', 'BACK-FILE'])).includes(home), false)
    assert.equal((await execute(['find', '/sys/fs/cgroup', '-name', cgroupName(folders)])).trim(), '')
    assert.equal(readFileSync('/proc/mounts', 'utf8').includes(home), false)
    assert.equal((await execute(['ps', '-eo', 'args'])).includes(home), false)
  })
})

after(() => rm(home, { recursive: true, force: true }))

async function agentOn(node: string): Promise<string> {
  const names = await cluster.kubectl(['get', 'pods', '-l', 'app=agent', '--field-selector', `spec.nodeName=${node}`, '-o', 'name'])
  return names.trim()
}

async function inAgent(node: string, container: string, script: string): Promise<string> {
  return cluster.kubectl(['exec', await agentOn(node), '-c', container, '--', 'sh', '-c', script])
}

function pod(name: string, spec: object, container: object): object {
  const main = { name: 'main', image: busyboxImage, command: ['sleep', '100000'], ...container }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { terminationGracePeriodSeconds: 1, containers: [main], ...spec },
  }
}

function claim(name: string, storageClassName: string, volumeMode: string): object {
  const accessModes = [storageClassName === 'shared' ? 'ReadWriteMany' : 'ReadWriteOnce']
  const spec = { storageClassName, volumeMode, accessModes, resources: { requests: { storage: '1Gi' } } }
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name }, spec }
}

function volume(name: string): object {
  return { name, persistentVolumeClaim: { claimName: name } }
}

function workload(kind: string, app: string, spec: object, podSpec: object): object {
  const template = { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds: 1, ...podSpec } }
  return { apiVersion: 'apps/v1', kind, metadata: { name: app }, spec: { selector: { matchLabels: { app } }, template, ...spec } }
}

function agentContainer(name: string, mountPropagation: string): object {
  return {
    name,
    image: busyboxImage,
    command: ['sh', '-c', 'touch /tmp/started; echo runs on $(hostname); exec sleep 100000'],
    securityContext: { privileged: true },
    volumeMounts: [{ name: 'shared', mountPath: '/shared', mountPropagation }],
  }
}

const agents = workload(
  'DaemonSet',
  'agent',
  {},
  {
    hostPID: true,
    hostNetwork: true,
    containers: [agentContainer('mounter', 'Bidirectional'), agentContainer('watcher', 'HostToContainer')],
    volumes: [{ name: 'shared', hostPath: { path: '/var/lib/test', type: 'DirectoryOrCreate' } }],
  },
)

const web = workload(
  'Deployment',
  'web',
  { replicas: 4 },
  {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ],
    containers: [
      {
        name: 'main',
        image: busyboxImage,
        command: ['sh', '-c', 'mkdir /tmp/www; hostname >/tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www'],
        readinessProbe: { httpGet: { port: 8080, path: '/' }, periodSeconds: 1 },
      },
    ],
  },
)

const webService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
}
