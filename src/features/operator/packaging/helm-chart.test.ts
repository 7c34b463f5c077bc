import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parse } from 'yaml'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { installationManifests, type Installation } from '../manifests/operator-manifests.ts'
import { helmChart } from './helm-chart.ts'

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com', annotations: { note: '{{ kept }}' } },
}
const installation: Installation = {
  version: 'v1.2.3',
  registry: 'mine.test/team',
  ownRegistry: 'o.test',
  namespace: 'kubevirt',
  definitions: [definition],
}
const files = helmChart(installation)
const read = (path: string): string => {
  const text = files.get(path)
  assert.ok(text !== undefined, path)
  return text
}

/** Keys of an object and of the objects in it: `operator.replicas`. */
function pathsIn(value: unknown, prefix = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix]
  return Object.entries(value).flatMap(([key, inner]) => [`${prefix}${key}`, ...pathsIn(inner, `${prefix}${key}.`)])
}

suite('helmChart()', () => {
  test('has the version of the release', () => {
    const { version, appVersion } = parse(read('Chart.yaml')) as { version: string; appVersion: string }
    assert.deepEqual([version, appVersion], ['1.2.3', 'v1.2.3'])
  })

  test('contains each object of the manifests, except the namespace', () => {
    const text = [...files].flatMap(([path, content]) => (/^(templates|crds)\/.*yaml$/.test(path) ? [content] : [])).join('\n')
    for (const { kind = '', metadata } of installationManifests(installation)) {
      const head = new RegExp(`^kind: ${kind}\nmetadata:\n  name: ['"]?${metadata?.name}['"]?$`, 'm')
      assert.equal(head.test(text), kind !== 'Namespace', `${kind} ${metadata?.name}`)
    }
  })

  test('has CRDs without expressions, as Helm does not evaluate them', () => {
    assert.deepEqual(parse(read('crds/things.example.com.yaml')), definition)
  })

  test('uses only values that values.yaml has, and all of these', () => {
    const values = parse(read('values.yaml')) as { registry: string; operator: { replicas: number; tolerations: readonly object[] } }
    assert.equal(values.registry, 'mine.test/team')
    assert.equal(values.operator.replicas, 2)
    assert.equal(values.operator.tolerations.length, 1)
    const templates = [...files].flatMap(([path, content]) => (path.startsWith('templates/') ? [content] : [])).join('\n')
    assert.doesNotMatch(templates, /[«»]/)
    const used = new Set([...templates.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path))
    const known = new Set(pathsIn(values))
    for (const path of used) assert.ok(known.has(path), path)
    assert.deepEqual(new Set([...used].map((path) => path.replace(/\..*/, ''))), new Set(Object.keys(values)))
  })

  test('has a schema for each value', () => {
    interface Schema {
      readonly additionalProperties?: boolean
      readonly properties: Readonly<Record<string, Schema>>
    }
    const schema = JSON.parse(read('values.schema.json')) as Schema
    const values = parse(read('values.yaml')) as Record<string, object>
    assert.equal(schema.additionalProperties, false)
    assert.deepEqual(
      Object.keys(schema.properties)
        .filter((key) => key !== 'global')
        .toSorted(),
      Object.keys(values).toSorted(),
    )
    for (const section of ['operator', 'kubevirt'])
      assert.deepEqual(Object.keys(schema.properties[section]?.properties ?? {}), Object.keys(values[section] ?? {}))
  })

  test('keeps the KubeVirt object when the release is removed', () => {
    assert.match(read('templates/kubevirt.yaml'), /helm\.sh\/resource-policy: keep/)
  })
})
