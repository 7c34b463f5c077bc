import type { WatchOutput } from '#apiserver/request/api-request.ts'
import type { Entry } from '#apiserver/storage/object-store.ts'
import type { Negotiated } from '#apiserver/request/content-negotiation.ts'
import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf } from '#apimachinery/meta/resource-type.ts'
import { partialMetadata, renderTable, type RowObject } from '#apiserver/front/resources/table.ts'

type ObjectEvent = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Encodes one event as a line. */
export type EventEncoder = (output: WatchOutput) => Buffer

/** Lines of events, shared by all watches that show whole objects. */
export interface SharedLines {
  line(type: ObjectEvent, entry: Entry): Buffer
}

const heads: Readonly<Record<ObjectEvent, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
}
const tail = Buffer.from('}\n')

/**
 * Encodes each entry once for all its watchers. Lines of recent changes only are kept; see `line`.
 */
export function createSharedLines(): SharedLines {
  // A change reaches all watchers in one turn of the event loop, so older lines are not needed
  // again.
  let recent = new Map<Entry, Map<ObjectEvent, Buffer>>()
  return {
    line(type, entry) {
      let lines = recent.get(entry)
      if (lines === undefined) {
        if (recent.size === 0) setImmediate(() => (recent = new Map()))
        lines = new Map()
        recent.set(entry, lines)
      }
      let line = lines.get(type)
      if (line === undefined) {
        line = Buffer.concat([heads[type], entry.json, tail])
        lines.set(type, line)
      }
      return line
    },
  }
}

function lineOf(type: string, object: unknown): Buffer {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`)
}

/** Object of a bookmark: a resourceVersion, and the annotation that ends the initial events. */
function bookmarkObject(definition: ResourceDefinition, revision: number, initialEventsEnd: boolean): KubeObject {
  return {
    kind: definition.kind,
    apiVersion: apiVersionOf(definition),
    metadata: {
      resourceVersion: String(revision),
      ...(initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    },
  }
}

/** Creates the encoder of one watch for its negotiated format. */
export function createEventEncoder(
  definition: ResourceDefinition,
  negotiated: Negotiated,
  options: { readonly lines: SharedLines; readonly include: RowObject; readonly now: () => number },
): EventEncoder {
  const { metaVersion } = negotiated
  switch (negotiated.view) {
    case 'object':
      return (output) =>
        output.type === 'BOOKMARK'
          ? lineOf(output.type, bookmarkObject(definition, output.revision, output.initialEventsEnd))
          : options.lines.line(output.type, output.entry)
    case 'metadata':
      return (output) => {
        const object =
          output.type === 'BOOKMARK' ? bookmarkObject(definition, output.revision, output.initialEventsEnd) : output.entry.object
        return lineOf(output.type, partialMetadata(object, metaVersion))
      }
    case 'table': {
      let headings = true
      return (output) => {
        const objects = output.type === 'BOOKMARK' ? [] : [output.entry.object]
        const revision = output.type === 'BOOKMARK' ? output.revision : output.entry.revision
        const metadata = { resourceVersion: String(revision) }
        const table = renderTable(definition.columns, objects, {
          metadata,
          include: options.include,
          metaVersion,
          nowMs: options.now(),
          headings,
        })
        headings = false
        return lineOf(output.type, table)
      }
    }
  }
}
