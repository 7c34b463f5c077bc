import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkReleases, type CheckedReleases } from '#features/hyperconverged/index.ts'
import {
  checkGraph,
  checkRules,
  drawingOf,
  edgeCount,
  findRoute,
  findVersions,
  laneCount,
  parseVersionConstraint,
  renderDot,
  renderMermaid,
  renderSvg,
  scopeReports,
  upgradeLanes,
  VersionConstraintError,
  type CheckedGraph,
  type CheckOptions,
  type Drawing,
  type GraphFinding,
  type Route,
} from '#features/upgrade-graph/index.ts'
import { thisRelease } from '#machine/release/release.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { readSource } from '#cli/graph/read-source.ts'
import { readVersions } from '#cli/graph/versions-file.ts'
import { renderGraph } from '#cli/render/graph.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { paintFor } from '#cli/render/terminal.ts'

interface GraphFlags {
  readonly output: OutputFormat | 'mermaid' | 'dot' | 'svg' | 'lanes'
  readonly package?: string
  readonly channel?: string
  readonly minimumEdge?: string
  readonly semantics?: 'v0' | 'v1'
  readonly from?: string
  readonly to?: string
  readonly maxHops?: number
  readonly requiredStops?: string
  readonly versionRange?: string
  readonly upgradeConstraintPolicy?: 'CatalogProvided' | 'SelfCertified'
  readonly failOn: string
}

/** Steps and lanes beyond this are refused: neither a person nor a program draws them. */
const mostEdges = 500_000
/** The layout of a picture takes a minute beyond this. */
const mostEdgesOfPicture = 3_000

/**
 * Draws and checks the upgrade graph of a catalog. Exit code 2 for findings, and when there is no
 * way. @throws CommandError
 */
export async function graph(this: CliContext, flags: GraphFlags, source?: string): Promise<void> {
  const isFailure = failureTest(flags.failOn)
  assertFlagsFit(flags)
  const checked = source === undefined ? await checkOwn(flags) : checkGraph(await readSource(this, source), await optionsOf(flags))
  assertExists(checked, flags)
  const isShown = ({ package: owner, channel }: { readonly package: string; readonly channel?: string | undefined }): boolean =>
    (flags.package === undefined || owner === flags.package) &&
    (flags.channel === undefined || channel === undefined || channel === flags.channel)
  const shown = { ...checked, scopes: checked.scopes.filter((scope) => isShown({ package: scope.package.name, channel: scope.channel })) }
  const routes = routesIn(shown, flags)
  const findings = [...checked.findings.filter(isShown), ...tooLong(routes, flags.maxHops)]
  await printResult(this, flags, shown, findings, routes)
  const isLost = routes.length > 0 && routes.every(({ shortest }) => shortest === undefined)
  if (isLost || findings.some(isFailure)) this.process.exitCode = EXIT.findings
}

async function printResult(
  context: CliContext,
  flags: GraphFlags,
  checked: CheckedGraph,
  findings: readonly GraphFinding[],
  routes: readonly Route[],
): Promise<void> {
  const { output } = flags
  const { stdout, stderr } = context.process
  switch (output) {
    case 'mermaid':
      stdout.write(renderMermaid(drawn(checked, flags, mostEdges)))
      break
    case 'dot':
      stdout.write(renderDot(drawn(checked, flags, mostEdges)))
      break
    case 'svg':
      stdout.write(await renderSvg(drawn(checked, flags, mostEdgesOfPicture)))
      break
    case 'lanes':
      assertNotMore(laneCount(checked.scopes), mostEdges)
      stdout.write(`${JSON.stringify(upgradeLanes(checked.scopes), null, 2)}\n`)
      break
    case 'text':
    case 'wide':
    case 'json':
    case 'yaml':
    case 'name': {
      const reports = scopeReports(checked)
      const proof = proofIn(checked)
      const notes =
        proof?.divergences === 0 ? [`Upgrade patches give the same object on all ${proof.ways} ways (${proof.objects} objects)`] : []
      print(context, output, {
        kind: 'UpgradeGraph',
        document: {
          isValid: checked.isValid,
          channels: reports,
          findings,
          routes,
          ...(proof === undefined ? {} : { upgradePatches: proof }),
        },
        names: [...new Set(findings.map(({ object }) => object))],
        text: (isWide) => renderGraph({ reports, findings, routes, notes }, { isWide, paint: paintFor(context, 'stdout') }),
      })
      return
    }
  }
  // A drawing is for another program: what was found is said beside it.
  for (const { id, severity, object, what } of findings) stderr.write(`${severity}: ${id}: ${object}: ${what}\n`)
}

function drawn({ graph: drawnGraph }: CheckedGraph, flags: GraphFlags, most: number): Drawing {
  const { package: owner, channel, minimumEdge, semantics } = flags
  const drawing = drawingOf(drawnGraph, {
    ...(owner === undefined ? {} : { package: owner }),
    ...(channel === undefined ? {} : { channel }),
    ...(minimumEdge === undefined ? {} : { minimumEdge }),
    marksV0: semantics === 'v0',
  })
  assertNotMore(edgeCount(drawing), most)
  return drawing
}

function assertNotMore(count: number, most: number): void {
  if (count > most)
    throw new CommandError(
      `There are ${count} steps, and at most ${most} are written: narrow it by --package, --channel or --minimum-edge, or use -o json`,
    )
}

async function optionsOf(flags: GraphFlags): Promise<CheckOptions> {
  const { semantics = 'v0', channel, maxHops, versionRange, upgradeConstraintPolicy: policy = 'CatalogProvided' } = flags
  const isWanted = versionRange === undefined ? (): boolean => true : constraintOf(versionRange)
  return {
    semantics,
    rules: { channels: channel === undefined ? [] : [channel], isWanted, policy },
    ...(maxHops === undefined ? {} : { maxHops }),
    ...(flags.requiredStops === undefined ? {} : { requiredStops: await readVersions(flags.requiredStops) }),
  }
}

function constraintOf(text: string): ReturnType<typeof parseVersionConstraint> {
  try {
    return parseVersionConstraint(text)
  } catch (error) {
    if (error instanceof VersionConstraintError) throw new CommandError(`--version-range: ${error.message}`)
    throw error
  }
}

function failureTest(text: string): (finding: GraphFinding) => boolean {
  const words = new Set(text === 'none' ? [] : text.split(','))
  const unknown = [...words].find((word) => word !== 'error' && word !== 'warning' && !Object.hasOwn(checkRules, word))
  if (unknown !== undefined)
    throw new CommandError(`--fail-on: "${unknown}" is no check. Use error, warning, none, or ids: ${Object.keys(checkRules).join(', ')}`)
  return ({ id, severity }) => words.has(id) || words.has(severity) || (severity === 'error' && words.has('warning'))
}

function assertFlagsFit({ semantics, versionRange, upgradeConstraintPolicy, from, to, maxHops }: GraphFlags): void {
  if (semantics !== 'v1' && (versionRange !== undefined || upgradeConstraintPolicy !== undefined))
    throw new CommandError('--version-range and --upgrade-constraint-policy are settings of OLM v1: add --semantics v1')
  if (to !== undefined && from === undefined) throw new CommandError('--to needs --from: the version to upgrade from')
  if (maxHops !== undefined && (!Number.isInteger(maxHops) || maxHops < 0)) throw new CommandError('--max-hops must be a whole number')
}

function assertExists({ graph: { packages } }: CheckedGraph, { package: owner, channel, minimumEdge }: GraphFlags): void {
  const own = packages.filter(({ name }) => owner === undefined || name === owner)
  if (own.length === 0 && owner !== undefined)
    throw new CommandError(`The catalog has no package "${owner}"; it has ${packages.map(({ name }) => name).join(', ') || 'none'}`)
  const channels = own.flatMap((one) => one.channels.map(({ name }) => name))
  if (channel !== undefined && !channels.includes(channel))
    throw new CommandError(`There is no channel "${channel}"; there are ${[...new Set(channels)].join(', ') || 'none'}`)
  if (minimumEdge !== undefined && !own.some((one) => one.channels.some(({ byName }) => byName.has(minimumEdge))))
    throw new CommandError(`No channel has the bundle "${minimumEdge}" that --minimum-edge names`)
}

function routesIn({ scopes, requiredStops }: CheckedGraph, { from, to }: GraphFlags): readonly Route[] {
  if (from === undefined) return []
  const routes = scopes.flatMap((scope) =>
    findVersions(scope.package, from).flatMap((begin) => {
      const ends = to === undefined ? (scope.head === undefined ? [] : [scope.head]) : findVersions(scope.package, to)
      return ends.filter((end) => end !== begin).map((end) => findRoute(scope, begin, end, requiredStops))
    }),
  )
  for (const [flag, text] of [
    ['--from', from],
    ['--to', to],
  ] as const)
    if (text !== undefined && !scopes.some((scope) => findVersions(scope.package, text).length > 0))
      throw new CommandError(`${flag}: the catalog has no version or bundle "${text}"`)
  const found = routes.filter(({ shortest }) => shortest !== undefined)
  // In a channel that has neither of them there is no way, which says nothing.
  return found.length > 0 ? found : routes.slice(0, 1)
}

function tooLong(routes: readonly Route[], maxHops: number | undefined): readonly GraphFinding[] {
  return routes.flatMap((route): readonly GraphFinding[] => {
    const { package: owner, channel, from, to, shortest = [] } = route
    const hops = shortest.length - 1
    if (maxHops === undefined || hops <= maxHops) return []
    const object = channel === undefined ? `package "${owner}"` : `channel "${channel}" of package "${owner}"`
    const what = `the way from ${from} to ${to} has ${hops} steps, and ${maxHops} are allowed`
    return [
      {
        id: 'longest-path',
        ...checkRules['longest-path'],
        package: owner,
        ...(channel === undefined ? {} : { channel }),
        object,
        what,
        versions: [from],
      },
    ]
  })
}

/** What was found about upgrade patches, which only our own releases have. */
function proofIn(
  checked: CheckedGraph | CheckedReleases,
): { readonly ways: string; readonly objects: number; readonly divergences: number } | undefined {
  if (!('convergence' in checked) || checked.convergence === undefined) return undefined
  const { ways, objects, divergences } = checked.convergence
  // JSON has no large numbers.
  return { ways: String(ways), objects, divergences: divergences.length }
}

/** Checks the graph of our own releases, with the upgrade patches of this one. */
async function checkOwn(flags: GraphFlags): Promise<CheckedReleases> {
  const patches = await readFile(join(thisRelease().root, 'manifests', 'upgradePatches.json'), 'utf8')
  return checkReleases(patches, await optionsOf(flags))
}
