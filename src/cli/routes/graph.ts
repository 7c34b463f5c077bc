import { buildCommand, numberParser, type Command } from '@stricli/core'
import type { CliContext } from '../context.ts'

const text = (
  brief: string,
  placeholder: string,
): { kind: 'parsed'; parse: (value: string) => string; optional: true; brief: string; placeholder: string } => ({
  kind: 'parsed',
  parse: String,
  optional: true,
  brief,
  placeholder,
})

/** `steadyvm graph`. */
export const graphCommand: Command<CliContext> = buildCommand({
  loader: async () => (await import('../commands/system/graph.ts')).graph,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        { parse: String, optional: true, brief: 'Catalog: a file, a folder, or - (default: our own releases)', placeholder: 'source' },
      ],
    },
    flags: {
      output: {
        kind: 'enum',
        values: ['text', 'wide', 'json', 'yaml', 'name', 'mermaid', 'dot', 'svg', 'lanes'],
        default: 'text',
        brief: 'How to print: text, wide, json, yaml, name, a drawing (mermaid, dot or svg), or lanes (the upgrades to test, as JSON)',
      },
      package: text('Package; others are checked, and not shown', 'name'),
      channel: text('Channel; others are checked, and not shown', 'name'),
      minimumEdge: text('Bundle below which nothing is drawn', 'bundle'),
      semantics: {
        kind: 'enum',
        values: ['v0', 'v1'],
        optional: true,
        brief: 'Version of OLM whose choice is followed (default: v0); v0 also marks in drawings what is never chosen',
      },
      from: text('Version or bundle to upgrade from', 'version'),
      to: text('Version or bundle to upgrade to (default with --from: the head)', 'version'),
      maxHops: {
        kind: 'parsed',
        parse: numberParser,
        optional: true,
        brief: 'Most steps of a way to the head, or to --to',
        placeholder: 'n',
      },
      requiredStops: text('File with versions that no upgrade may jump over, one on each line', 'file'),
      versionRange: text('With --semantics v1: spec.source.catalog.version of the ClusterExtension, such as "1.x"', 'range'),
      upgradeConstraintPolicy: {
        kind: 'enum',
        values: ['CatalogProvided', 'SelfCertified'],
        optional: true,
        brief:
          'With --semantics v1: whether the steps of the catalog count (CatalogProvided, the default) or any version may follow any other',
      },
      failOn: {
        kind: 'parsed',
        parse: String,
        default: 'error',
        brief: 'Findings that end with exit code 2: error, warning (both), none, or ids of checks, with commas between them',
        placeholder: 'what',
      },
    },
    aliases: { o: 'output', p: 'package' },
  },
  docs: {
    brief: 'Draw and check the upgrade graph of a catalog of the Operator Lifecycle Manager (exit code 2 for findings)',
    fullDescription: `Draw and check the upgrade graph of a file-based catalog of the Operator Lifecycle Manager (OLM), or that of our own releases. Talks to no cluster.

  steadyvm graph catalog/
  opm render REGISTRY/catalog:v1 | steadyvm graph - -o svg > upgrades.svg
  steadyvm graph catalog/ --from v1.0.0 --to v1.4.0 --max-hops 3
  steadyvm graph catalog/ -o lanes | jq -r '.[] | "\\(.from) \\(.to)"'

Exit codes: 0 without findings that --fail-on names, 2 with them, or when there is no way from --from to --to; 1 when the catalog cannot be read.`,
  },
})
