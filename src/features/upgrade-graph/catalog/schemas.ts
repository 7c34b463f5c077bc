import type { Shape } from './shape.ts'

const named: Shape = { fields: { name: 'text', url: 'text', email: 'text' } }
const kind: Shape = { fields: { group: 'text', kind: 'text', version: 'text' } }
const properties: Shape = { list: { fields: { type: 'text', value: 'any' } } }

/** Fields of the objects of a catalog, by schema. */
export const objectSchemas: Readonly<Record<string, Shape>> = {
  'olm.package': {
    fields: {
      schema: 'text',
      name: 'text',
      defaultChannel: 'text',
      icon: { fields: { base64data: 'bytes', mediatype: 'text' } },
      description: 'text',
      properties,
    },
  },
  'olm.channel': {
    fields: {
      schema: 'text',
      name: 'text',
      package: 'text',
      entries: { list: { fields: { name: 'text', replaces: 'text', skips: { list: 'text' }, skipRange: 'text' } } },
      properties,
    },
  },
  'olm.bundle': {
    fields: {
      schema: 'text',
      name: 'text',
      package: 'text',
      image: 'text',
      properties,
      relatedImages: { list: { fields: { name: 'text', image: 'text' } } },
    },
  },
  'olm.deprecations': {
    fields: {
      schema: 'text',
      package: 'text',
      entries: { list: { fields: { reference: { fields: { schema: 'text', name: 'text' } }, message: 'text' } } },
    },
  },
}

const descriptors: Shape = {
  list: {
    fields: { path: 'text', displayName: 'text', description: 'text', 'x-descriptors': { list: 'text' }, value: 'any' },
  },
}
const described = {
  name: 'text',
  version: 'text',
  kind: 'text',
  displayName: 'text',
  description: 'text',
  resources: { list: { fields: { name: 'text', kind: 'text', version: 'text' } } },
  statusDescriptors: descriptors,
  specDescriptors: descriptors,
  actionDescriptor: descriptors,
} as const satisfies Readonly<Record<string, Shape>>
const definitions: Shape = { fields: { owned: { list: { fields: described } }, required: { list: { fields: described } } } }

/** Values of the properties of bundles that opm decodes, by type. */
export const propertySchemas: Readonly<Record<string, Shape>> = {
  'olm.package': { fields: { packageName: 'text', version: 'text', release: 'text' } },
  'olm.package.required': { fields: { packageName: 'text', versionRange: 'text' } },
  'olm.gvk': kind,
  'olm.gvk.required': kind,
  'olm.channel': { fields: { channelName: 'text' } },
  'olm.bundle.object': { fields: { data: 'bytes' } },
  'olm.csv.metadata': {
    fields: {
      annotations: { map: 'text' },
      apiServiceDefinitions: definitions,
      crdDescriptions: definitions,
      description: 'text',
      displayName: 'text',
      installModes: { list: { fields: { type: 'text', supported: 'flag' } } },
      keywords: { list: 'text' },
      labels: { map: 'text' },
      links: { list: named },
      maintainers: { list: named },
      maturity: 'text',
      minKubeVersion: 'text',
      nativeAPIs: { list: kind },
      provider: named,
    },
  },
}
