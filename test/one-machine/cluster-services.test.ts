import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { kubectlsUnderTest, runCommand } from '../support/kubectl.ts'
import { eventually, textAt, type TestMachine } from '../support/machine.ts'
import { useNamespace } from '../support/namespaces.ts'
import { machineModeOnly } from '../support/place.ts'

const image = 'test.example/shell:v1'

function pod(name: string, spec: object = {}, container: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image, command: ['/bin/sleep', '1000'], ...container }],
      ...spec,
    },
  }
}

suite('services, volumes and quotas, with kubectl', { skip: machineModeOnly('tests what Kubernetes itself does on a cluster') }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await useNamespace()
    await mkdir(join(machine.home, 'images', 'test.example', 'shell', 'v1'), { recursive: true })
  })
  after(() => machine[Symbol.asyncDispose]())

  for (const kubectl of kubectlsUnderTest()) {
    suite(kubectl.version, () => {
      const namespace = `team-${kubectl.version.replace('.', '-')}`
      const run = (args: readonly string[], input?: string) =>
        runCommand(kubectl.path, ['-n', namespace, ...args], { env: machine.env, ...(input === undefined ? {} : { input }) })
      const ok = async (...args: string[]): Promise<string> => {
        const { code, stdout, stderr } = await run(args)
        assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stdout}${stderr}`)
        return stdout
      }
      const apply = async (...items: object[]): Promise<void> => {
        const { code, stderr } = await run(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
        assert.equal(code, 0, stderr)
      }
      before(async () => {
        await machine.kubectl(['create', 'namespace', namespace])
      })

      test('a service has an address, and its ready pods as endpoints', async () => {
        await apply(pod('web', {}, { ports: [{ name: 'http', containerPort: 18_080 }] }))
        await ok('expose', 'pod', 'web', '--port=80', '--target-port=http')
        await ok('wait', 'pod/web', '--for=condition=Ready', '--timeout=30s')
        assert.match(await ok('get', 'service', 'web'), /web +ClusterIP +127\.(9[6-9]|10\d|11[01])\.\d+\.\d+ +<none> +80\/TCP/)
        await eventually(
          async () => (await ok('get', 'endpoints', 'web')).includes('127.0.0.1:18080'),
          () => ok('get', 'endpoints', 'web', '-o', 'yaml'),
        )
        assert.match(await ok('get', 'endpointslices', '-l', 'kubernetes.io/service-name=web'), /web-\w{5} +IPv4 +18080 +127\.0\.0\.1/)
        assert.match(await ok('describe', 'service', 'web'), /Endpoints: +127\.0\.0\.1:18080/)
        await ok('delete', 'service/web', 'pod/web')
      })

      test('a process in a pod reaches the API with its in-cluster config and service account', async () => {
        assert.match(await ok('get', 'service', 'kubernetes', '-n', 'default'), /kubernetes +ClusterIP +127\.\S+ +<none> +443\/TCP/)
        assert.match(await ok('get', 'endpoints', 'kubernetes', '-n', 'default'), /kubernetes +127\.0\.0\.1:\d+/)
        const command = [kubectl.path, 'create', '-f', '-', '--raw', '/apis/authentication.k8s.io/v1/selfsubjectreviews']
        const question = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' })
        const script = `printf '%s' '${question}' | ${command.join(' ')}`
        await apply(pod('who', { restartPolicy: 'Never' }, { command: ['/bin/sh', '-c', script] }))
        await ok('wait', 'pod/who', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=30s')
        assert.ok((await ok('logs', 'who')).includes(`"username":"system:serviceaccount:${namespace}:default"`))
        await ok('delete', 'pod/who')
      })

      test('a claim is bound, mounted, shown and removed with its data', async () => {
        assert.match(await ok('get', 'storageclass'), /local \(default\) +steadyvm\.io\/local +Delete +Immediate +true/)
        const claim = {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        }
        const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }]
        await apply(claim, pod('user', { volumes }))
        await ok('wait', 'pod/user', '--for=condition=Ready', '--timeout=30s')
        assert.match(await ok('get', 'pvc', 'data'), /data +Bound +pvc-\S+ +1Gi +RWO +local/)
        const name = textAt(JSON.parse(await ok('get', 'pvc', 'data', '-o', 'json')), 'spec.volumeName')
        assert.match(await ok('get', 'pv', name), new RegExp(`1Gi +RWO +Delete +Bound +${namespace}/data +local`))
        assert.match(await ok('describe', 'pvc', 'data'), /Used By: +user[^]*ProvisioningSucceeded/)
        assert.match(await ok('describe', 'pv', name), /Source:\n +Type: +HostPath/)
        assert.ok(existsSync(join(machine.home, 'volumes', name)))
        await ok('delete', 'pvc', 'data', '--wait=false')
        assert.match(await ok('get', 'pvc', 'data'), /data +Terminating/)
        await ok('delete', 'pod', 'user')
        await ok('wait', 'pvc/data', '--for=delete', '--timeout=20s')
        await ok('wait', `pv/${name}`, '--for=delete', '--timeout=20s')
        assert.equal(existsSync(join(machine.home, 'volumes', name)), false)
      })

      test("a raw volume is a file of its size at the container's device path", async () => {
        const spec = { accessModes: ['ReadWriteMany'], volumeMode: 'Block', resources: { requests: { storage: '64Mi' } } }
        const device = join(machine.home, `disk-${namespace}`)
        const script = `stat -c %s ${device}`
        await apply(
          { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'disk' }, spec },
          pod(
            'raw',
            { restartPolicy: 'Never', volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'disk' } }] },
            { command: ['/bin/sh', '-c', script], volumeDevices: [{ name: 'v', devicePath: device }] },
          ),
        )
        await ok('wait', 'pod/raw', '--for=jsonpath={.status.phase}=Succeeded', '--timeout=30s')
        assert.equal((await ok('logs', 'raw')).trim(), String(64 << 20))
        await ok('delete', 'pod/raw', 'pvc/disk')
      })

      test('a quota refuses objects beyond it, and shows the usage', async () => {
        await ok('create', 'quota', 'q', '--hard=pods=1,requests.cpu=1')
        const cpu = { resources: { requests: { cpu: '500m' } } }
        await apply(pod('one', {}, cpu))
        const second = await run(['create', '-f', '-'], JSON.stringify(pod('two', {}, cpu)))
        const says = 'pods "two" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
        assert.ok(second.stderr.includes(says), second.stderr)
        const used = (): Promise<string> => ok('describe', 'quota', 'q')
        await eventually(async () => /pods +1 +1\n/.test(await used()) && /requests\.cpu +500m +1\n/.test(await used()), used)
        await ok('delete', 'pod/one', 'quota/q')
      })

      test('deleting a namespace deletes its objects', async () => {
        await apply(pod('last'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } })
        await machine.kubectl(['delete', 'namespace', namespace, '--timeout=60s'])
        assert.equal((await machine.tryKubectl(['get', 'namespace', namespace])).code, 1)
      })
    })
  }
})
