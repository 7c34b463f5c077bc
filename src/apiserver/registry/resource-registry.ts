import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import type { ResourceDefinition, ResourceRegistry } from './resource-definition.ts'

/**
 * Creates a registry of the definitions. `add` replaces a definition of the same group, version and
 * plural.
 */
export function createResourceRegistry(definitions: Iterable<ResourceDefinition> = []): ResourceRegistry {
  return new Registry(definitions)
}

class Registry implements ResourceRegistry {
  readonly #byPlural = new Map<string, ResourceDefinition>()
  readonly #byKind = new Map<string, ResourceDefinition>()
  #all: readonly ResourceDefinition[] = []
  #generation = 0

  constructor(definitions: Iterable<ResourceDefinition>) {
    for (const definition of definitions) this.add(definition)
  }

  get generation(): number {
    return this.#generation
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byPlural.get(key(group, version, plural))
  }

  findByKind(group: string, version: string, kind: string): ResourceDefinition | undefined {
    return this.#byKind.get(key(group, version, kind))
  }

  all(): readonly ResourceDefinition[] {
    return this.#all
  }

  add(definition: ResourceDefinition): void {
    this.#byPlural.set(key(definition.group, definition.version, definition.plural), definition)
    this.#byKind.set(key(definition.group, definition.version, definition.kind), definition)
    this.#changed()
  }

  remove(group: string, version: string, plural: string): void {
    const definition = this.find(group, version, plural)
    if (definition === undefined) return
    this.#byPlural.delete(key(group, version, plural))
    if (this.findByKind(group, version, definition.kind) === definition) this.#byKind.delete(key(group, version, definition.kind))
    this.#changed()
  }

  #changed(): void {
    this.#generation += 1
    this.#all = [...this.#byPlural.values()]
  }
}

function key(group: string, version: string, name: string): string {
  return `${apiVersionOf({ group, version })}/${name}`
}
