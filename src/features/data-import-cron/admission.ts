import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import type { StatusCause } from '#apimachinery/errors.ts'
import { parseQuantity, quantityToBytes } from '#apimachinery/quantity.ts'
import { whyNoSchedule } from './digest/cron-schedule.ts'
import { sourceOf } from './digest/source-of.ts'
import { isDigest } from './imports/import-name.ts'
import { names } from './names.ts'
import { whyNoAnnotations } from './verification/wish.ts'

/** Longest name of a DataImportCron and of its DataSource: both are labels. */
const longestName = 63

/**
 * Returns everything that is wrong with a DataImportCron, by CDI's rules and with its texts where
 * it has some. Its spec never changes. Pure.
 */
export function validateDataImportCron(cron: DataImportCron, old: DataImportCron | undefined): readonly StatusCause[] {
  const { name = '' } = cron.metadata
  if (name.length > longestName) return [tooLong('metadata.name', name)]
  if (old !== undefined) {
    if (!semanticEqual(cron.spec, old.spec))
      return [{ reason: 'FieldValueDuplicate', message: 'Cannot update DataImportCron Spec', field: 'DataImportCron.Spec' }]
    return changedAnnotations(cron, old)
  }
  return [...validateTemplate(cron), ...validateSettings(cron), ...validateAnnotations(cron)]
}

/**
 * An object of before the rules, or with a note of a controller, can be changed as far as it is
 * right.
 */
function changedAnnotations(cron: DataImportCron, old: DataImportCron): readonly StatusCause[] {
  const before = new Set(validateAnnotations(old).map(({ message }) => message))
  return validateAnnotations(cron).filter(({ message }) => !before.has(message))
}

function wrong(field: string, message: string): StatusCause {
  return { reason: 'FieldValueInvalid', message, field }
}

function tooLong(field: string, name: string): StatusCause {
  return wrong(field, `Name cannot be longer than ${longestName} characters: ${field} has ${name.length}`)
}

const templateField = 'spec.template'
const sourceField = `${templateField}.spec.source`

function validateTemplate(cron: DataImportCron): readonly StatusCause[] {
  const { spec } = cron.spec.template
  const { source } = spec
  const found = sourceOf(cron)
  if (source?.registry?.imageStream !== undefined && source.registry.url === undefined)
    return [wrong(`${sourceField}.registry.imageStream`, 'ImageStreams are only there on OpenShift: name the image by url')]
  if (found.kind === 'unknown') return [wrong(templateField, 'Missing source: one of registry.url, http and pvc is needed')]
  const kinds = Object.entries(source ?? {}).flatMap(([kind, value]) => (value === undefined || value === null ? [] : [kind]))
  if (kinds.length > 1) return [wrong(sourceField, `Multiple Data volume sources: ${kinds.join(', ')}`)]
  if (found.kind === 'registry' && !found.url.startsWith('docker://'))
    return [wrong(`${sourceField}.registry.url`, 'Illegal registry source: the address must be of the form docker://registry/name:tag')]
  const isSet = [
    spec.sourceRef !== undefined,
    (spec.contentType ?? '') !== '',
    (spec.checkpoints ?? []).length > 0,
    spec.finalCheckpoint === true,
  ]
  if (isSet.includes(true)) return [wrong(templateField, 'Unsettable fields: SourceRef, ContentType, Checkpoints, FinalCheckpoint')]
  return validateStorage(cron)
}

function validateStorage({ spec: { template } }: DataImportCron): readonly StatusCause[] {
  const { pvc, storage, source } = template.spec
  const field = `${templateField}.spec`
  if ((pvc === undefined) === (storage === undefined))
    return [
      wrong(
        field,
        pvc === undefined
          ? 'Missing Data volume PVC or storage'
          : 'Duplicate storage definition, both target storage and target pvc defined',
      ),
    ]
  const part = pvc ?? storage
  const path = `${field}.${pvc === undefined ? 'storage' : 'pvc'}`
  if ((part?.accessModes ?? []).length > 1) return [wrong(`${path}.accessModes`, 'PVC multiple accessModes')]
  if (pvc !== undefined && (pvc.accessModes ?? []).length === 0)
    return [wrong(`${path}.accessModes`, 'Required value: at least 1 access mode is required')]
  const size = part?.resources?.requests?.['storage']
  if (size === undefined)
    return source?.pvc === undefined || pvc !== undefined ? [wrong(`${path}.resources.requests.storage`, 'PVC size is missing')] : []
  return isSize(String(size)) ? [] : [wrong(`${path}.resources.requests.storage`, "PVC size can't be equal or less than zero")]
}

function isSize(text: string): boolean {
  try {
    return quantityToBytes(parseQuantity(text)) > 0n
  } catch {
    return false
  }
}

function validateSettings({ spec }: DataImportCron): readonly StatusCause[] {
  const { schedule, garbageCollect, importsToKeep, retentionPolicy, managedDataSource = '' } = spec
  const problem = schedule === '' ? undefined : whyNoSchedule(schedule)
  return [
    ...(problem === undefined ? [] : [wrong('spec.schedule', `Illegal cron schedule: ${problem}`)]),
    ...(importsToKeep !== undefined && importsToKeep < 0 ? [wrong('spec.importsToKeep', 'Illegal ImportsToKeep value')] : []),
    ...(garbageCollect !== undefined && !['Outdated', 'Never'].includes(garbageCollect)
      ? [wrong('spec.garbageCollect', 'Illegal GarbageCollect value: must be Outdated or Never')]
      : []),
    ...(retentionPolicy !== undefined && !['All', 'None'].includes(retentionPolicy)
      ? [wrong('spec.retentionPolicy', 'Illegal RetentionPolicy value: must be All or None')]
      : []),
    ...validateDataSource(spec, managedDataSource),
  ]
}

function validateDataSource({ template }: DataImportCron['spec'], name: string): readonly StatusCause[] {
  const field = 'spec.managedDataSource'
  if (name === '') {
    const places = [
      ['spec.template.managedDataSource', template],
      ['spec.template.spec.managedDataSource', template.spec],
    ] as const
    const misplaced = places.find(([, part]) => Object.hasOwn(part, 'managedDataSource'))
    const hint = misplaced === undefined ? '' : `: move ${misplaced[0]} to ${field}`
    return [wrong(field, `Illegal ManagedDataSource value${hint}`)]
  }
  if (name.length > longestName) return [tooLong(field, name)]
  return /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/.test(name)
    ? []
    : [wrong(field, 'Illegal ManagedDataSource value: it is no name of an object')]
}

function validateAnnotations(cron: DataImportCron): readonly StatusCause[] {
  const { annotations = {} } = cron.metadata
  const digest = annotations[names.desiredDigest] ?? ''
  const ours = whyNoAnnotations(cron).map(([name, why]) => wrong(`metadata.annotations[${name}]`, `${name} ${why}`))
  if (digest === '' || isDigest(digest)) return ours
  return [...ours, wrong(`metadata.annotations[${names.desiredDigest}]`, `${names.desiredDigest} must be sha256:… or uid:…`)]
}

/** Returns warnings about what is accepted and not acted on. Pure. */
export function warnOfDataImportCron(cron: DataImportCron): readonly string[] {
  const { source } = cron.spec.template.spec
  const warnings: string[] = []
  if (source?.registry?.pullMethod === 'node')
    warnings.push(
      `${sourceField}.registry.pullMethod is "node": the digest is asked for by a pod of the namespace, with the Secret of the source`,
    )
  if (source?.http !== undefined)
    warnings.push(`${sourceField}.http: CDI imports no files periodically; they are imported when ETag or time of the file change`)
  return warnings
}
