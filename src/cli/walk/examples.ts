import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlreadyExists } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { parseApiVersion, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { virtualMachineInstancetypes, virtualMachinePreferences } from '#api/instancetype/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { CommandError } from '../context.ts'

const RESOURCES: readonly ResourceType<KubeObject>[] = [virtualMachineInstancetypes, virtualMachinePreferences, virtualMachines]

/** Reads the YAML files of a folder in lexical order. */
export async function readManifests(folder: string): Promise<KubeObject[]> {
  const { parseAllDocuments } = await import('yaml')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).toSorted()
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubeObject))
}

/** Creates an object, or merges the manifest into the existing one. Returns which of the two. */
export async function applyManifest(client: Client, manifest: KubeObject): Promise<string> {
  const resource = resourceOf(manifest)
  const { namespace = 'default', name = '' } = manifest.metadata ?? {}
  const label = `${resource.plural}.${resource.group}/${name}`
  try {
    await client.create(resource, manifest, { fieldValidation: 'Strict' })
    return `${label} created`
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    await client.patch(resource, { namespace, name }, { type: 'merge', body: manifest })
    return `${label} was there, and is as in the manifest again`
  }
}

function resourceOf(manifest: KubeObject): ResourceType<KubeObject> {
  const { group, version } = parseApiVersion(manifest.apiVersion ?? '')
  const found = RESOURCES.find((resource) => resource.kind === manifest.kind && resource.group === group && resource.version === version)
  if (found === undefined)
    throw new CommandError(
      `Cannot apply ${manifest.apiVersion} ${manifest.kind}: the walk's manifests hold only VMs, instance types and preferences`,
    )
  return found
}
