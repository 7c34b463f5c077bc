import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { sample } from '../support/effort.ts'
import { kubectlsUnderTest, runCommand } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { machineModeOnly } from '../support/place.ts'
import { watchReady } from '../support/observers/watch-ready.ts'

/** Image of the containers: a folder, whose processes run the machine's own programs. */
const image = 'tools/shell:v1'

interface Template {
  readonly app: string
  readonly value: string
  readonly spec?: object
}

/**
 * Returns a pod template like that of common charts: probes, resources, volumes, security contexts.
 * The process is ready when its file exists.
 */
function template({ app, value, spec = {} }: Template): object {
  const isReady = { exec: { command: ['sh', '-c', 'test -e /scratch/ready'] } }
  return {
    metadata: { labels: { app }, annotations: { 'checksum/config': value } },
    spec: {
      terminationGracePeriodSeconds: 1,
      securityContext: { fsGroup: 1000 },
      volumes: [{ name: 'scratch', emptyDir: {} }],
      containers: [
        {
          name: 'main',
          image,
          command: ['sh', '-c', 'touch /scratch/ready; exec sleep 1000'],
          env: [{ name: 'VALUE', value }],
          ports: [{ name: 'http', containerPort: 8080 }],
          resources: { requests: { cpu: '10m', memory: '8Mi' }, limits: { memory: '16Mi' } },
          readinessProbe: { ...isReady, periodSeconds: 1 },
          startupProbe: { ...isReady, periodSeconds: 1, failureThreshold: 30 },
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
          volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
        },
      ],
      ...spec,
    },
  }
}

function deployment(name: string, value: string): string {
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  const spec = { replicas: 3, strategy, selector: { matchLabels: { app: name } }, template: template({ app: name, value }) }
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' }, spec })
}

function daemonSet(name: string, value: string): string {
  const spec = { selector: { matchLabels: { app: name } }, template: template({ app: name, value }) }
  return JSON.stringify({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name, namespace: 'default' }, spec })
}

function job(name: string, script: string, spec: object = {}): string {
  const containers = [{ name: 'main', image, command: ['sh', '-c', script] }]
  const body = { template: { spec: { restartPolicy: 'Never', containers } }, ...spec }
  return JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' }, spec: body })
}

suite('workload controllers on two nodes', { skip: machineModeOnly('tests what Kubernetes itself does on a cluster') }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine({ nodes: 2 })
    await mkdir(join(machine.home, 'images', 'tools/shell', 'v1'), { recursive: true })
  })
  after(() => machine[Symbol.asyncDispose]())

  const items = async (...args: string[]): Promise<readonly KubeJson[]> =>
    ((await machine.getJson(...args))['items'] ?? []) as unknown as readonly KubeJson[]
  const rolledOut = (what: string): Promise<string> => machine.kubectl(['rollout', 'status', what, '--timeout=60s'])

  test('a deployment rolls out and back with the required number of available pods', async () => {
    await machine.kubectl(['apply', '-f', '-'], deployment('web', 'one'))
    await rolledOut('deploy/web')
    assert.match(await machine.kubectl(['get', 'deploy', 'web']), /web +3\/3 +3 +3 /)
    {
      using ready = await watchReady(machine, 'app=web')
      await machine.kubectl(['apply', '-f', '-'], deployment('web', 'two'))
      await rolledOut('deploy/web')
      await machine.kubectl(['rollout', 'undo', 'deploy/web'])
      await rolledOut('deploy/web')
      assert.equal(Math.min(...ready.counts()), 3, `ready pods over time: ${ready.counts().join(' ')}`)
      assert.ok(ready.counts().includes(4), 'nothing has rolled')
    }
    const history = await machine.kubectl(['rollout', 'history', 'deploy/web'])
    assert.deepEqual(history.match(/^\d+/gm), ['2', '3'])
    // A rollout is complete while pods of the former revision still end.
    const lasting = (await items('pods', '-l', 'app=web')).filter((pod) => textAt(pod, 'metadata.deletionTimestamp') === '')
    assert.deepEqual(
      lasting.map((pod) => textAt(pod, 'spec.containers.0.env.0.value')),
      ['one', 'one', 'one'],
    )
  })

  test('it is scaled, paused, resumed and waited for', async () => {
    await machine.kubectl(['scale', 'deploy/web', '--replicas=5'])
    await machine.kubectl(['wait', 'deploy/web', '--for=condition=available', '--timeout=30s'])
    await machine.kubectl(['wait', 'deploy/web', '--for=jsonpath={.status.readyReplicas}=5', '--timeout=30s'])
    await machine.kubectl(['rollout', 'pause', 'deploy/web'])
    await machine.kubectl(['set', 'env', 'deploy/web', 'VALUE=three'])
    await machine.kubectl(['wait', 'deploy/web', '--for=jsonpath={.status.conditions[?(@.type=="Progressing")].reason}=DeploymentPaused'])
    assert.equal((await items('rs', '-l', 'app=web')).length, 2)
    await machine.kubectl(['rollout', 'resume', 'deploy/web'])
    await rolledOut('deploy/web')
    await machine.kubectl(['rollout', 'restart', 'deploy/web'])
    await rolledOut('deploy/web')
    assert.equal((await items('rs', '-l', 'app=web')).length, 4)
  })

  test('a missing image stops only the rollout, and the message has a remedy', async () => {
    await machine.kubectl(['set', 'image', 'deploy/web', 'main=nginx:1.27'])
    let messages = ''
    await eventually(
      async () => {
        messages = await machine.kubectl([
          'get',
          'pods',
          '-l',
          'app=web',
          '-o',
          'jsonpath={.items[*].status.containerStatuses[*].state.waiting}',
        ])
        return messages.includes('ImagePullBackOff')
      },
      () => messages,
    )
    assert.ok(messages.includes(`Registered images: steadyvm.io/demo-guest:v1, ${image}. To register one, make that folder`), messages)
    assert.match(await machine.kubectl(['get', 'deploy', 'web']), /web +5\/5 +1 +5 /)
    await machine.kubectl(['rollout', 'undo', 'deploy/web'])
    await rolledOut('deploy/web')
  })

  test('a rollout completes although the API server is killed', async () => {
    for (const value of sample(['four', 'five'], 1)) {
      await machine.kubectl(['set', 'env', 'deploy/web', `VALUE=${value}`])
      for (const { pid } of machine.processes().filter(({ role }) => role === 'apiserver')) process.kill(pid, 'SIGKILL')
      await eventually(
        async () => (await machine.tryKubectl(['get', '--raw', '/readyz'])).code === 0,
        () => 'the API server did not come back',
      )
      await rolledOut('deploy/web')
      await eventually(
        async () => (await items('pods', '-l', 'app=web')).length === 5,
        () => machine.kubectl(['get', 'pods']),
      )
    }
  })

  test('its deletion supports the propagation policies Orphan and Foreground', async () => {
    await machine.kubectl(['delete', 'deploy', 'web', '--cascade=orphan'])
    assert.equal((await items('pods', '-l', 'app=web')).length, 5)
    await machine.kubectl(['apply', '-f', '-'], deployment('web', 'one'))
    await rolledOut('deploy/web')
    await machine.kubectl(['delete', 'deploy', 'web', '--cascade=foreground', '--timeout=60s'])
    assert.equal((await items('pods,rs', '-l', 'app=web')).length, 0)
  })

  test('a daemon set runs on both nodes, rolls out pod by pod, and rolls back', async () => {
    await machine.kubectl(['apply', '-f', '-'], daemonSet('agent', 'one'))
    await rolledOut('ds/agent')
    const places = (await items('pods', '-l', 'app=agent')).map((pod) => textAt(pod, 'spec.nodeName'))
    assert.deepEqual(
      places.toSorted((a, b) => (a < b ? -1 : 1)),
      ['node-1', 'node-2'],
    )
    {
      using ready = await watchReady(machine, 'app=agent')
      await machine.kubectl(['apply', '-f', '-'], daemonSet('agent', 'two'))
      await rolledOut('ds/agent')
      assert.equal(Math.min(...ready.counts()), 1, `ready pods over time: ${ready.counts().join(' ')}`)
    }
    await machine.kubectl(['rollout', 'undo', 'ds/agent'])
    await rolledOut('ds/agent')
    assert.deepEqual((await machine.kubectl(['rollout', 'history', 'ds/agent'])).match(/^\d+/gm), ['2', '3'])
    await machine.kubectl(['delete', 'ds', 'agent'])
  })

  test('jobs complete, exceed their back-off limit, and exceed their deadline', async () => {
    await machine.kubectl(
      ['apply', '-f', '-'],
      job('sum', 'echo "part $JOB_COMPLETION_INDEX"', { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
    )
    await machine.kubectl(['wait', 'job/sum', '--for=condition=complete', '--timeout=60s'])
    assert.match(await machine.kubectl(['get', 'job', 'sum']), /sum +Complete +3\/3 /)
    const logs = await machine.kubectl(['logs', '-l', 'job-name=sum'])
    assert.deepEqual(
      logs
        .trim()
        .split('\n')
        .toSorted((a, b) => (a < b ? -1 : 1)),
      ['part 0', 'part 1', 'part 2'],
    )
    await machine.kubectl(['apply', '-f', '-'], job('bad', 'exit 3', { backoffLimit: 0 }))
    await machine.kubectl(['apply', '-f', '-'], job('slow', 'sleep 1000', { activeDeadlineSeconds: 1 }))
    await machine.kubectl(['wait', 'job/bad', 'job/slow', '--for=condition=failed', '--timeout=60s'])
    const reasons = await machine.kubectl([
      'get',
      'jobs',
      'bad',
      'slow',
      '-o',
      'jsonpath={.items[*].status.conditions[?(@.type=="Failed")].reason}',
    ])
    assert.equal(reasons, 'BackoffLimitExceeded DeadlineExceeded')
    await machine.kubectl(['delete', 'jobs', '--all'])
    assert.equal((await items('pods')).length, 0)
  })

  for (const kubectl of kubectlsUnderTest()) {
    test(`kubectl ${kubectl.version} creates, shows and deletes workloads`, async () => {
      const run = async (...args: string[]): Promise<string> => {
        const result = await runCommand(kubectl.path, args, { env: machine.env })
        assert.equal(result.code, 0, `kubectl ${args.join(' ')}: ${result.stderr}`)
        return result.stdout
      }
      await run('create', 'deployment', 'plain', `--image=${image}`, '--replicas=2', '--', 'sleep', '1000')
      await run('rollout', 'status', 'deploy/plain', '--timeout=60s')
      await run('set', 'env', 'deploy/plain', 'A=b')
      await run('rollout', 'status', 'deploy/plain', '--timeout=60s')
      await run('rollout', 'undo', 'deploy/plain', '--to-revision=1')
      await run('rollout', 'status', 'deploy/plain', '--timeout=60s')
      await run('create', 'job', 'once', `--image=${image}`, '--', 'true')
      await run('wait', 'job/once', '--for=condition=complete', '--timeout=60s')
      const everything = await run('get', 'all')
      for (const name of ['deployment.apps/plain', 'replicaset.apps/plain-', 'pod/plain-', 'job.batch/once'])
        assert.ok(everything.includes(name), everything)
      assert.match(await run('describe', 'deploy', 'plain'), /NewReplicaSet: +plain-\w+ \(2\/2 replicas created\)[^]*ScalingReplicaSet/)
      assert.match(await run('describe', 'rs', '-l', 'app=plain'), /Pods Status: +2 Running[^]*SuccessfulCreate/)
      assert.match(await run('describe', 'job', 'once'), /1 Succeeded[^]*Completed/)
      await run('delete', 'deploy/plain', 'job/once', '--timeout=60s')
    })
  }
})
