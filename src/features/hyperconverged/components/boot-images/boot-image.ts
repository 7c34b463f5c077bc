import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import type { DataImportCronTemplate } from '#api/hco/v1/workload-sources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { readGates } from '../../configuration/gates/read-gates.ts'
import type { ValueSource } from '../rendering/value-source.ts'
import { valueAt, withValueAt } from '../../value-at.ts'
import { architecturesAnnotation, commonTemplates, immediateBindAnnotation, templateDefaults } from './built-in-images.ts'
import { importScheduleOf } from './schedule.ts'

/** A boot image that is imported periodically. */
export interface BootImage {
  readonly name: string
  /** Undefined: the namespace of all boot images. */
  readonly namespace: string | undefined
  readonly labels: Readonly<Record<string, string>>
  /** With the architectures that the nodes have, while images of all are imported. */
  readonly annotations: Readonly<Record<string, string>>
  readonly spec: Readonly<Record<string, unknown>>
  /** One that every platform has. */
  readonly isCommon: boolean
  /** A common one whose spec the user has written. */
  readonly isModified: boolean
  /** While images of all architectures are imported: those of the image. Undefined: unnamed. */
  readonly architectures: readonly string[] | undefined
  /** Index of the user's template; undefined for a common one as it is. */
  readonly templateIndex: number | undefined
  /** False if images of all architectures are imported, and no node has one of this image. */
  readonly isSupported: boolean
}

/** Annotation of a template: `false` switches it off. */
export const enableAnnotation = 'dataimportcrontemplate.kubevirt.io/enable'

/** True when images of all architectures are imported: by the field, else by the gate. Pure. */
export function isMultiArchEnabled({ spec }: Pick<HyperConverged, 'spec'>): boolean {
  return (
    spec?.workloadSources?.enableMultiArchBootImageImport ??
    readGates(spec?.featureGates).get('enableMultiArchBootImageImport')?.isOn === true
  )
}

/** Parts of HyperConverged that boot images follow from. */
export type DescribedPlatform = Pick<HyperConverged, 'spec' | 'metadata' | 'status'>

/**
 * Merges the common boot images with those of the user, by name. The user's spec of a common image
 * replaces all of it but the schedule; annotations are merged. A template whose annotation switches
 * it off is left out; so are those with the name of a common image while common ones are not
 * imported. Sorted by name. Pure.
 */
export function bootImagesOf(hyperconverged: DescribedPlatform, nodeArchitectures: readonly string[]): readonly BootImage[] {
  const read = (field: string): unknown => valueAt(hyperconverged.spec, ['workloadSources', field])
  // Objects of older versions may have anything here.
  const listed = read('dataImportCronTemplates')
  const templates = Array.isArray(listed) ? (listed as readonly DataImportCronTemplate[]) : []
  // An object of before the schema may have items that are no templates.
  const users = new Map(
    templates.flatMap((template, index) => (isJsonObject(template) ? [[nameOf(template), { template, index }] as const] : [])),
  )
  const isMultiArch = isMultiArchEnabled(hyperconverged)
  const namespace = read('commonBootImageNamespace')
  const common = commonTemplates(importScheduleOf(hyperconverged))
  const merged = common.flatMap((template): BootImage[] => {
    const user = users.get(nameOf(template))
    if (read('enableCommonBootImageImport') === false || !isEnabled(user?.template)) return []
    const image = user === undefined ? imageOf(template) : modified(imageOf(template), imageOf(user.template, user.index), isMultiArch)
    const place = user === undefined && typeof namespace === 'string' && namespace !== '' ? { namespace } : {}
    return [{ ...image, ...place, isCommon: true, isModified: user !== undefined }]
  })
  const custom = [...users.values()].flatMap(({ template, index }) =>
    commonNames.includes(nameOf(template)) || !isEnabled(template) ? [] : [imageOf(template, index)],
  )
  return [...merged, ...custom]
    .map((image) => (isMultiArch ? withSupport(image, nodeArchitectures) : image))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Names of the common boot images. */
export const commonNames: readonly string[] = commonTemplates('').map(nameOf)

function nameOf(template: DataImportCronTemplate): string {
  const name = valueAt(template, ['metadata', 'name'])
  return typeof name === 'string' ? name : ''
}

function isEnabled(template: DataImportCronTemplate | undefined): boolean {
  const said = valueAt(template, ['metadata', 'annotations', enableAnnotation])
  return said === undefined || (typeof said === 'string' && said.toLowerCase() === 'true')
}

function imageOf(template: DataImportCronTemplate, templateIndex?: number): BootImage {
  const namespace = valueAt(template, ['metadata', 'namespace'])
  return {
    name: nameOf(template),
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
    labels: textsAt(template, 'labels'),
    annotations: textsAt(template, 'annotations'),
    spec: isJsonObject(template.spec) ? template.spec : {},
    isCommon: false,
    isModified: false,
    architectures: undefined,
    templateIndex,
    isSupported: true,
  }
}

function textsAt(template: DataImportCronTemplate, field: 'labels' | 'annotations'): Readonly<Record<string, string>> {
  const found = valueAt(template, ['metadata', field])
  return isJsonObject(found) ? Object.fromEntries(Object.entries(found).map(([key, value]) => [key, String(value)])) : {}
}

const registryPath = ['template', 'spec', 'source', 'registry']

function modified(common: BootImage, user: BootImage, isMultiArch: boolean): BootImage {
  const schedule = valueAt(user.spec, ['schedule'])
  const hasSchedule = typeof schedule === 'string' && schedule !== ''
  return {
    ...user,
    labels: { ...common.labels, ...user.labels },
    annotations: mergedAnnotations(common, user, isMultiArch),
    spec: { ...user.spec, ...(hasSchedule ? {} : { schedule: common.spec['schedule'] }) },
  }
}

/** An image of another registry has other architectures: only its own annotation counts. */
function mergedAnnotations(common: BootImage, user: BootImage, isMultiArch: boolean): Readonly<Record<string, string>> {
  const merged = { ...common.annotations, ...user.annotations }
  if (!isMultiArch) return merged
  const registry = valueAt(user.spec, registryPath)
  const isReplaced = registry !== undefined && !deepEqual(registry, valueAt(common.spec, registryPath))
  return withArchitectures(merged, (isReplaced ? user : common).annotations[architecturesAnnotation])
}

function withArchitectures(annotations: Readonly<Record<string, string>>, text: string | undefined): Readonly<Record<string, string>> {
  const { [architecturesAnnotation]: _, ...others } = annotations
  return text === undefined ? others : { ...others, [architecturesAnnotation]: text }
}

/** Limits the architectures of an image to those of the nodes. */
function withSupport(image: BootImage, nodeArchitectures: readonly string[]): BootImage {
  const text = image.annotations[architecturesAnnotation]
  if (text === undefined) return image
  const architectures = text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
  const supported = architectures.filter((name) => nodeArchitectures.includes(name))
  return {
    ...image,
    annotations: withArchitectures(image.annotations, supported.join(',')),
    architectures,
    isSupported: supported.length > 0,
  }
}

/** Labels and annotations of the DataImportCron of one architecture: SSP's, and ours. */
const architectureLabel = 'template.kubevirt.io/architecture'
const dataSourceNameLabel = 'cdi.kubevirt.io/storage.import.datasource-name'
const defaultDataSourceAnnotation = 'steadyvm.io/default-data-source'

/**
 * Returns an image for each architecture that it has and nodes have, as SSP does: with names of
 * their own for DataImportCron and DataSource. The DataSource without the architecture in its name
 * leads to that of the first architecture of the nodes. An image that names no architectures is
 * one. Pure.
 */
export function imagesByArchitecture(image: BootImage, nodeArchitectures: readonly string[]): readonly BootImage[] {
  const { name, spec, labels, annotations, architectures } = image
  if (architectures === undefined) return [image]
  const named = valueAt(spec, ['managedDataSource'])
  const dataSource = typeof named === 'string' ? named : ''
  const supported = nodeArchitectures.filter((each) => architectures.includes(each))
  return supported.map((architecture, index) => ({
    ...image,
    name: `${name}-${architecture}`,
    labels: { ...labels, [architectureLabel]: architecture, [dataSourceNameLabel]: dataSource },
    annotations: { ...annotations, ...(index === 0 ? { [defaultDataSourceAnnotation]: dataSource } : {}) },
    architectures: undefined,
    spec: ofArchitecture({ ...spec, managedDataSource: `${dataSource}-${architecture}` }, architecture),
  }))
}

/** A registry has images of several architectures at the same address. */
function ofArchitecture(spec: BootImage['spec'], architecture: string): BootImage['spec'] {
  if (valueAt(spec, registryPath) === undefined) return spec
  return withValueAt(spec, [...registryPath, 'platform', 'architecture'], architecture) as BootImage['spec']
}

/** Returns the DataImportCron of an image, as a template of SSP. Pure. */
export function importTemplateOf(image: BootImage): Readonly<Record<string, unknown>> {
  const { name, namespace, labels, spec, architectures } = image
  // Architectures are SSP's business only while images of all are imported.
  const annotations = architectures === undefined ? withArchitectures(image.annotations, undefined) : image.annotations
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      annotations: { [immediateBindAnnotation]: 'true', ...annotations },
    },
    spec: { ...templateDefaults, ...spec },
  }
}

/**
 * Source of a boot image, or of a field of its template: the user's template, or the field that
 * switches on the common ones. Pure.
 */
export function sourceOfImage(rendering: { sourceOf(field: string): ValueSource }, { templateIndex }: BootImage, field = ''): ValueSource {
  if (templateIndex === undefined) return rendering.sourceOf('workloadSources.enableCommonBootImageImport')
  return { kind: 'user', field: `workloadSources.dataImportCronTemplates[${templateIndex}]${field}` }
}
