import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ObjectKey, ResourceType } from '#apimachinery/meta/resource-type.ts'
import { leases } from '#api/coordination/v1/resources.ts'
import { configMaps, endpoints, namespaces, nodes, pods, resourceQuotas, serviceAccounts, services } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { endpointSlices } from '#api/discovery/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { systemClock } from '#runtime/clock/clock.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from './embedded-api.fixture.ts'
import { createTestNode, isWritten, shellPod, type TestNode } from './kubelet/kubelet.fixture.ts'

async function withCluster(work: (client: Client, node: TestNode) => Promise<void>): Promise<void> {
  await using cluster: EmbeddedCluster = await startEmbeddedCluster()
  await using node = createTestNode(cluster.client)
  await work(cluster.client, node)
}

async function found<T extends KubeObject>(client: Client, resource: ResourceType<T>, key: ObjectKey): Promise<T | undefined> {
  try {
    return await client.get(resource, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function until<T>(what: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 6000; tries++) {
    const answer = await what()
    if (answer !== undefined && answer !== false) return answer
    await systemClock.sleep(10)
  }
  throw new RangeError('it did not come true in time')
}

function unbound(name: string, script: string): Pod {
  const pod = shellPod(name, script)
  const { nodeName: _nodeName, ...spec } = pod.spec
  return { ...pod, spec }
}

const key = (name: string): ObjectKey => ({ namespace: 'default', name })
const isReady = (pod: Pod | undefined): boolean =>
  pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
const isRefused = ({ status }: Pod): boolean => status?.conditions?.some(({ reason }) => reason === 'Unschedulable') === true

suite('the embedded cluster', () => {
  test('registers a node, schedules a pod, runs it and removes it, with the minimum of writes', () =>
    withCluster(async (client, node) => {
      node.start()
      await until(async () => found(client, leases, { namespace: 'kube-node-lease', name: 'n1' }))
      const stop = new AbortController()
      const seen: string[] = []
      const watching = (async () => {
        const { resourceVersion = '' } = (await client.list(pods)).metadata
        for await (const { type, object } of client.watch(pods, { resourceVersion, signal: stop.signal })) {
          seen.push(`${type} ${object.spec.nodeName ?? '-'} ${isReady(object) ? 'ready' : 'unready'}`)
        }
      })().catch(() => {})
      await client.create(pods, unbound('a', 'exec sleep 1000'))
      await until(async () => isReady(await client.get(pods, key('a'))))
      // For a moment a process may have helpers that mount what it needs.
      await until(async () => node.processes().length === 1)
      await systemClock.sleep(50)
      assert.deepEqual(seen, ['ADDED - unready', 'MODIFIED n1 unready', 'MODIFIED n1 ready'])
      await client.delete(pods, key('a'))
      await until(async () => (await found(client, pods, key('a'))) === undefined)
      await until(async () => node.processes().length === 0)
      stop.abort()
      await watching
    }))

  test('runs fifty pods at once', () =>
    withCluster(async (client, node) => {
      node.start()
      await Promise.all(Array.from({ length: 50 }, (_, index) => client.create(pods, unbound(`p${index}`, 'exec sleep 1000'))))
      await until(async () => (await client.list(pods, { namespace: 'default' })).items.filter(isReady).length === 50)
      // For a moment a process may have helpers that mount what it needs.
      await until(async () => node.processes().length === 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => client.delete(pods, key(`p${index}`))))
      await until(async () => (await client.list(pods, { namespace: 'default' })).items.length === 0)
    }))

  test('gives every namespace a service account and the CA, and deletes its objects with it', () =>
    withCluster(async (client, node) => {
      node.start()
      await client.create(namespaces, { metadata: { name: 'team' } })
      await until(async () => found(client, serviceAccounts, { namespace: 'team', name: 'default' }))
      const ca = await until(async () => found(client, configMaps, { namespace: 'team', name: 'kube-root-ca.crt' }))
      assert.deepEqual(ca.data, { 'ca.crt': 'CA' })
      const pod = unbound('a', 'exec sleep 1000')
      await client.create(pods, { ...pod, metadata: { name: 'a', namespace: 'team' } })
      await until(async () => isReady(await client.get(pods, { namespace: 'team', name: 'a' })))
      await client.delete(namespaces, { name: 'team' })
      await until(async () => (await found(client, namespaces, { name: 'team' })) === undefined)
      assert.equal(node.processes().length, 0)
    }))

  test('reports what blocks the deletion of a namespace', () =>
    withCluster(async (client) => {
      await client.create(namespaces, { metadata: { name: 'team' } })
      await client.create(configMaps, { metadata: { namespace: 'team', name: 'held', finalizers: ['example.org/hold'] } })
      await client.delete(namespaces, { name: 'team' })
      const condition = await until(async () => {
        const { status } = await client.get(namespaces, { name: 'team' })
        return status?.conditions?.find(({ type, status: value }) => type === 'NamespaceFinalizersRemaining' && value === 'True')
      })
      assert.equal(condition.message, 'Some content in the namespace has finalizers remaining: example.org/hold in 1 resource instances')
      await client.patch(configMaps, { namespace: 'team', name: 'held' }, { type: 'merge', body: { metadata: { finalizers: [] } } })
      await until(async () => (await found(client, namespaces, { name: 'team' })) === undefined)
    }))

  test('schedules no new pods on a cordoned node', () =>
    withCluster(async (client, node) => {
      node.start()
      await until(async () => found(client, nodes, { name: 'n1' }))
      await client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: true } } })
      await until(async () =>
        (await client.get(nodes, { name: 'n1' })).spec?.taints?.some((taint) => taint.key === 'node.kubernetes.io/unschedulable'),
      )
      // The scheduler hears of it at its own time: what it has placed before does not count.
      let tried = 0
      const refused = await until(async () => {
        const name = `a${tried++}`
        await client.create(pods, unbound(name, 'exec sleep 1000'))
        const pod = await until(async () => {
          const current = await client.get(pods, key(name))
          return (current.spec.nodeName !== undefined || isRefused(current)) && current
        })
        return isRefused(pod) && name
      })
      await client.create(pods, unbound('b', 'exec sleep 1000'))
      await until(async () => isRefused(await client.get(pods, key('b'))))
      await client.patch(nodes, { name: 'n1' }, { type: 'merge', body: { spec: { unschedulable: null } } })
      for (const name of [refused, 'b']) await until(async () => isReady(await client.get(pods, key(name))))
    }))

  test('maintains the endpoints of a service, and deletes them with it', () =>
    withCluster(async (client, node) => {
      node.start()
      const pod = unbound('a', 'exec sleep 1000')
      await client.create(pods, { ...pod, metadata: { ...pod.metadata, labels: { app: 'web' } } })
      await client.create(services, { metadata: key('web'), spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] } })
      const ready = await until(async () =>
        (await found(client, endpoints, key('web')))?.subsets?.find(({ addresses }) => addresses !== undefined),
      )
      assert.deepEqual([ready.addresses?.[0]?.targetRef?.name, ready.ports], ['a', [{ port: 8080, protocol: 'TCP' }]])
      await until(async () => {
        const slices = await client.list(endpointSlices, { namespace: 'default' })
        return slices.items.some(({ endpoints: all }) => all[0]?.conditions?.ready === true && all[0].targetRef?.name === 'a')
      })
      await client.delete(services, key('web'))
      await until(async () => (await found(client, endpoints, key('web'))) === undefined)
      await until(async () => (await client.list(endpointSlices, { namespace: 'default' })).items.length === 0)
    }))

  test('reports the use of a quota', () =>
    withCluster(async (client) => {
      await until(async () => found(client, serviceAccounts, key('default')))
      await client.create(resourceQuotas, { metadata: key('q'), spec: { hard: { pods: '2', 'count/services': '1' } } })
      await client.create(pods, unbound('a', 'exec sleep 1000'))
      await until(async () => (await client.get(resourceQuotas, key('q'))).status?.used?.['pods'] === '1')
      await client.delete(pods, key('a'))
      await until(async () => (await client.get(resourceQuotas, key('q'))).status?.used?.['pods'] === '0')
    }))

  test('passes configuration to processes as environment variables and files', () =>
    withCluster(async (client, node) => {
      node.start()
      await client.create(configMaps, { metadata: { namespace: 'default', name: 'settings' }, data: { color: 'green' } } as KubeObject)
      const out = join(node.directory, 'out')
      const pod = unbound(
        'a',
        `cp "$POD_DIR/volumes/kubernetes.io~configmap/settings/color" ${out}.file; echo "$COLOR $1 $POD_NAME" > ${out}; exec sleep 1000`,
      )
      const [container] = pod.spec.containers
      const configured: Pod = {
        ...pod,
        spec: {
          ...pod.spec,
          volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
          containers: [
            {
              ...container,
              name: 'main',
              args: ['sh', '$(COLOR)-$(POD_NAMESPACE)'],
              env: [{ name: 'COLOR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'color' } } }],
            },
          ],
        },
      }
      await client.create(pods, configured)
      await until(async () => isReady(await client.get(pods, key('a'))) && isWritten(out))
      assert.equal(readFileSync(out, 'utf8'), 'green green-default a\n')
      assert.equal(readFileSync(`${out}.file`, 'utf8'), 'green')
    }))
})
