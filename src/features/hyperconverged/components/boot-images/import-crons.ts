import { isRendered } from '../objects/rendered-hash.ts'
import type { CachedComponent } from '../objects/caches.ts'
import type { ComponentObject } from '../../reconcile/observe.ts'
import type { Component } from '../rendering/components.ts'
import { Rendering, type RenderingInput } from '../rendering/rendering.ts'
import type { Importer } from './report.ts'
import { bootImagesOf, imagesByArchitecture, importTemplateOf, sourceOfImage, type BootImage } from './boot-image.ts'

/** Namespace of boot images that name none. The operator creates it. */
export const bootImageNamespace = 'kubevirt-os-images'

/** Objects by which a boot image is imported periodically. All of them are read. */
export const importCronKind = {
  name: 'boot-images',
  group: 'cdi.kubevirt.io',
  versions: ['v1beta1'],
  kind: 'DataImportCron',
  plural: 'dataimportcrons',
  objectName: '',
  part: 'storage',
  isEverywhere: true,
} as const

/** State of the kinds through which boot images can be imported. */
export interface Importers {
  readonly templates: Pick<CachedComponent, 'resource'>
  readonly crons: CachedComponent
}

/** Tells what imports boot images on a cluster. Pure. */
export function importerOf({ templates, crons }: Importers): Importer {
  return templates.resource !== undefined ? 'ssp' : crons.resource !== undefined ? 'crons' : undefined
}

/**
 * Returns the DataImportCrons as components: those that HyperConverged asks for, and those that it
 * has asked for before. SSP creates them where it is installed; then there are none here. Pure.
 */
export function importCrons(input: RenderingInput, { templates, crons }: Importers): readonly Component[] {
  if (crons.resource === undefined) return []
  const { workloadArchitectures } = input.nodes
  const wanted =
    templates.resource !== undefined
      ? []
      : bootImagesOf(input.hyperconverged, workloadArchitectures)
          .filter(isImported)
          .flatMap((image) => imagesByArchitecture(image, workloadArchitectures))
  const names = new Set(wanted.map((image) => nameOf(placeOf(image), image.name)))
  const left = crons.objects.filter((object) => isRendered(object) && !names.has(nameOfObject(object)))
  return [...wanted.map(componentOf), ...left.map(leftoverOf)]
}

function isImported({ isSupported }: BootImage): boolean {
  return isSupported
}

function placeOf({ namespace }: BootImage): string {
  return namespace ?? bootImageNamespace
}

function nameOf(namespace: string, name: string): string {
  return `boot-image/${namespace === bootImageNamespace ? '' : `${namespace}/`}${name}`
}

function nameOfObject({ metadata }: ComponentObject): string {
  return nameOf(metadata?.namespace ?? '', metadata?.name ?? '')
}

function componentOf(image: BootImage): Component {
  const namespace = placeOf(image)
  return {
    ...importCronKind,
    name: nameOf(namespace, image.name),
    objectName: image.name,
    namespace,
    cache: importCronKind.name,
    createsNamespace: namespace === bootImageNamespace,
    reports: false,
    isSpecImmutable: true,
    render: (input) => renderImportCron(input, image),
  }
}

function leftoverOf(object: ComponentObject): Component {
  const { namespace = '', name = '' } = object.metadata ?? {}
  return {
    ...importCronKind,
    name: nameOf(namespace, name),
    objectName: name,
    namespace,
    cache: importCronKind.name,
    reports: false,
    isWanted: () => false,
    switchedBy: 'workloadSources.dataImportCronTemplates',
    render: (input) => new Rendering(input).done(),
  }
}

function renderImportCron(input: RenderingInput, image: BootImage): ReturnType<Rendering['done']> {
  const rendering = new Rendering(input)
  const { metadata, spec } = importTemplateOf(image) as {
    readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly annotations: Readonly<Record<string, string>> }
    readonly spec: Readonly<Record<string, unknown>>
  }
  for (const [name, value] of Object.entries(metadata.annotations))
    rendering.annotate(name, value, sourceOfImage(rendering, image, `.metadata.annotations[${name}]`))
  for (const [name, value] of Object.entries(metadata.labels ?? {}))
    rendering.label(name, value, sourceOfImage(rendering, image, `.metadata.labels[${name}]`))
  for (const [field, value] of Object.entries(spec)) rendering.set(field, value, sourceOfImage(rendering, image, `.spec.${field}`))
  return rendering.done()
}
