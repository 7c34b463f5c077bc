import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { builtinDefinitions } from '#apiserver/builtin/builtin-definitions.ts'
import { shownKind, shownObject, withShown } from './admission-object.ts'

suite('shownObject() and withShown()', () => {
  const definitionOf = (plural: string, group: string) => {
    const found = builtinDefinitions().find((each) => each.plural === plural && each.group === group)
    assert.ok(found !== undefined)
    return found
  }
  const deployments = definitionOf('deployments', 'apps')
  const pods = definitionOf('pods', '')
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a', namespace: 'default', labels: { x: 'y' } },
    spec: { replicas: 2, selector: { matchLabels: { a: 'b' } } },
    status: { replicas: 1 },
  }

  test('show the Scale of a scaled object, and apply a change of its replicas', async () => {
    const target = { definition: deployments, namespace: 'default', name: 'a', subresource: 'scale' }
    const scale = await shownObject(deployments, target, deployment as KubeObject)
    assert.deepEqual(scale, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'a', namespace: 'default' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    })
    assert.deepEqual(shownKind(target, deployments, deployment), { group: 'autoscaling', version: 'v1', kind: 'Scale' })
    const changed = await withShown(target, deployment, { ...scale, spec: { replicas: 7 } } as KubeObject)
    assert.deepEqual(changed, { ...deployment, spec: { ...deployment.spec, replicas: 7 } })
  })

  test('show the Eviction of an eviction', async () => {
    const target = { definition: pods, namespace: 'default', name: 'a', subresource: 'eviction' }
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }
    assert.equal(await shownObject(pods, target, eviction), eviction)
    assert.deepEqual(shownKind(target, pods, eviction), { group: 'policy', version: 'v1', kind: 'Eviction' })
  })

  test('show the object otherwise', async () => {
    const target = { definition: deployments, namespace: 'default', name: 'a', subresource: '' }
    assert.equal(await shownObject(deployments, target, deployment), deployment)
    assert.deepEqual(shownKind(target, deployments, deployment), { group: 'apps', version: 'v1', kind: 'Deployment' })
    assert.deepEqual(shownKind(target, deployments, undefined), { group: 'apps', version: 'v1', kind: 'Deployment' })
  })
})
