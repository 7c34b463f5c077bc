import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { catalogueInstancetypes, cataloguePreferences } from '#features/catalogue/index.ts'
import { upstreamSource } from './source.ts'

interface Entry extends KubeObject {
  readonly spec: unknown
}

/** Sentences are written here, and not upstream's. */
const ownWords = 'instancetype.kubevirt.io/description'
/** Labels that KubeVirt's operator adds to what its bundle contains. */
const operatorLabels = ['app.kubernetes.io/managed-by', 'app.kubernetes.io/component']

function without(values: Readonly<Record<string, string>> = {}, ...keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.includes(key)))
}

function comparable({ metadata, spec }: Entry): object {
  const { labels, annotations } = metadata ?? {}
  return { labels: without(labels, ...operatorLabels), annotations: without(annotations, ownWords), spec }
}

const source = await upstreamSource('kubevirt')
const folder = 'pkg/virt-operator/resource/generate/components/data/common-instancetypes'

test('the catalogue has the labels, annotations and specs of upstream', { skip: 'missing' in source && source.missing }, async () => {
  assert.ok('folder' in source)
  const read = async (file: string): Promise<Entry[]> =>
    parseAllDocuments(await readFile(join(source.folder, folder, file), 'utf8')).flatMap((document): Entry[] => {
      const entry = document.toJS() as Entry | null
      return entry === null ? [] : [entry]
    })
  const upstream = [...(await read('common-clusterinstancetypes-bundle.yaml')), ...(await read('common-clusterpreferences-bundle.yaml'))]
  const ours = new Map(
    [...catalogueInstancetypes(), ...cataloguePreferences()].map((entry) => [`${entry.kind} ${entry.metadata.name}`, entry]),
  )
  assert.equal(upstream.length, 119)
  for (const entry of upstream) {
    const name = `${entry.kind} ${entry.metadata?.name}`
    const own = ours.get(name)
    assert.ok(own, name)
    assert.deepEqual(comparable(own as Entry), comparable(entry), name)
    ours.delete(name)
  }
  for (const { metadata } of ours.values())
    assert.equal(metadata.labels?.['instancetype.kubevirt.io/vendor'], 'steadyvm.io', metadata.name ?? '')
})
