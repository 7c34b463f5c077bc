// Takes minutes: it compiles Tekton's validation.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import {
  declareGiven,
  makePlan,
  ManifestInvalid,
  type PipelineSpec,
  type RunRequest,
  singleTaskPipeline,
  readPipelineManifest,
  readPipelineRunManifest,
  readTaskManifest,
  readTaskRunManifest,
} from '#features/pipeline-run/index.ts'
import { repository } from '../support/machine.ts'
import { startOracle } from './oracle.ts'
import { upstreamSource } from './source.ts'

interface TektonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name?: string; readonly generateName?: string }
}

const readers: Readonly<Record<string, (subject: string, manifest: object) => unknown>> = {
  Task: readTaskManifest,
  Pipeline: readPipelineManifest,
  TaskRun: (subject, manifest) => {
    const { task, ...asked } = readTaskRunManifest(subject, manifest)
    if (task.kind === 'spec') check(subject, singleTaskPipeline('task', declareGiven(task.spec, asked)), asked)
  },
  PipelineRun: (subject, manifest) => {
    const { pipeline, ...asked } = readPipelineRunManifest(subject, manifest)
    if (pipeline.kind === 'spec') check(subject, declareGiven(pipeline.spec, asked), asked)
  },
}

/** @throws ManifestInvalid */
function check(subject: string, spec: PipelineSpec, { params, workspaces }: RunRequest): void {
  const run = { timeouts: {}, serviceAccounts: {}, collectorImage: '' }
  makePlan({ subject, pipeline: 'p', spec, taskNamed: () => undefined, params, workspaces, ...run })
}

/** Features that Tekton has off by default, and shell variables that it takes for references. */
const byTektonAlone = /^feature flag |^non-existent variable in "#!\/usr\/bin\/env bash/

/** Reads the objects of Tekton in a file. */
async function objectsIn(path: string): Promise<readonly TektonObject[]> {
  const documents = parseAllDocuments(await readFile(path, 'utf8'))
  const all = 'empty' in documents ? [] : documents.map((document) => document.toJS() as TektonObject | null)
  return all
    .filter((object) => object !== null)
    .filter(({ apiVersion, kind }) => String(apiVersion).startsWith('tekton.dev/') && kind in readers)
}

test('Tekton accepts the Tasks and Pipelines of this release', async (t) => {
  const started = await startOracle('tekton')
  if ('missing' in started) return t.skip(started.missing)
  await using oracle = started.oracle
  const files = globSync('manifests/tekton/{tasks,pipelines}/*.yaml', { cwd: repository })
  const objects = (await Promise.all(files.map((file) => objectsIn(join(repository, file))))).flat()
  assert.ok(objects.length >= 14, `${objects.length} objects`)
  for (const object of objects) assert.equal(await oracle.ask(object), '', `${object.kind} ${object.metadata.name}`)
})

test("what we accept of Tekton's examples, Tekton accepts, and each refusal names its field", async (t) => {
  const [started, source] = [await startOracle('tekton'), await upstreamSource('tekton-pipeline')]
  if ('missing' in started) return t.skip(started.missing)
  await using oracle = started.oracle
  const folder = 'missing' in source ? '' : source.folder
  const files = globSync('examples/v1/**/*.yaml', { cwd: folder }).toSorted()
  const objects = (await Promise.all(files.map((file) => objectsIn(join(folder, file))))).flat()
  const counts = { accepted: 0, refused: 0 }
  for (const object of objects) {
    const subject = `${object.kind} ${object.metadata.name ?? object.metadata.generateName}`
    try {
      readers[object.kind]?.(subject, object)
    } catch (error) {
      if (!(error instanceof ManifestInvalid)) throw error
      for (const { field, message } of error.faults) assert.ok(field !== '' && message !== '', subject)
      counts.refused += 1
      continue
    }
    counts.accepted += 1
    // The API server makes the name before Tekton sees the object.
    const { name = `${object.metadata.generateName}x` } = object.metadata
    const answer = String(await oracle.ask({ ...object, metadata: { ...object.metadata, name } }))
    if (!byTektonAlone.test(answer)) assert.equal(answer, '', subject)
  }
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.accepted > 50, `${counts.accepted} of ${objects.length}`)
})
