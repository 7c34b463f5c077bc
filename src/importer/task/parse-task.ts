import { isAbsolute } from 'node:path'
import { ImportFailure } from '../failure.ts'
import type { DigestTask, ImportTask } from './task.ts'

type Rule = readonly [name: string, isValid: (value: unknown) => boolean]

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isPath = (value: unknown): boolean => typeof value === 'string' && isAbsolute(value) && !value.includes('\0')
const isSize = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value > 0
const optional =
  (rule: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || rule(value)

const rules: readonly Rule[] = [
  ['contentType', (value) => value === 'kubevirt' || value === 'archive'],
  ['target', isPath],
  ['volumeBytes', isSize],
  ['overhead', (value) => typeof value === 'number' && value >= 0 && value < 1],
  ['preallocation', isFlag],
]

const sourceRules: Readonly<Record<string, readonly Rule[]>> = {
  http: [
    ['url', isText],
    ['checksum', optional(isText)],
    ['headers', (value) => Array.isArray(value) && value.every((each) => typeof each === 'string')],
    ['insecureSkipVerify', isFlag],
  ],
  s3: [['url', isText]],
  registry: [
    ['url', isText],
    ['architecture', optional(isText)],
    ['insecureSkipVerify', isFlag],
  ],
  clone: [['path', isPath]],
  blank: [],
  upload: [],
  peer: [['controller', isText]],
}

/** Kinds of sources whose digest can be asked for. */
const digestSources: readonly string[] = ['http', 'registry']

/** Parses the task of a worker. Values are not shown in messages. @throws ImportFailure */
export function parseTask(text: string | undefined): ImportTask | DigestTask {
  const task = parseObject(text)
  const isDigest = task['kind'] === 'digest'
  if (!isDigest) requireAll(task, rules, '')
  const source = task['source']
  if (!isObject(source)) throw invalid('source')
  const kind = source['kind']
  const isKnown = typeof kind === 'string' && Object.hasOwn(sourceRules, kind) && (!isDigest || digestSources.includes(kind))
  const found = isKnown ? sourceRules[kind] : undefined
  if (found === undefined) throw invalid('source.kind')
  requireAll(source, found, 'source.')
  return task as object as ImportTask | DigestTask
}

function requireAll(value: Readonly<Record<string, unknown>>, all: readonly Rule[], prefix: string): void {
  for (const [name, isValid] of all) if (!isValid(value[name])) throw invalid(`${prefix}${name}`)
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (isObject(value)) return value
  } catch {
    // Reported below.
  }
  throw new ImportFailure('TaskInvalid', 'The worker has no task: IMPORTER_TASK is no JSON object')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(field: string): ImportFailure {
  return new ImportFailure('TaskInvalid', `The task of the worker has no valid "${field}": controller and worker are of different versions`)
}
