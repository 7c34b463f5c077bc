import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { customKinds } from '../custom-kinds.ts'
import { renderCompatibility } from './compatibility/render.ts'
import { renderFeatureGates } from './feature-gates.ts'
import { withFeatureTable } from './feature-table.ts'
import { readReports } from './read-reports.ts'
import { renderReleaseGraph } from './release-graph.ts'
import { renderReports } from './render-reports.ts'
import { renderTasks } from './tasks.ts'

/** Layers whose code reports something to users. */
const layers = ['runtime', 'apiserver', 'cluster', 'features', 'machine', 'cmd']

/** Documentation that is generated from the sources. */
export interface Reference {
  /** Text by path, relative to the root. */
  readonly files: ReadonlyMap<string, string>
  /** Names of all metrics that the components report. */
  readonly metrics: readonly string[]
}

/** Generates the documentation of what the sources in `root` report. */
export function generateReference(root: string): Reference {
  const projects = layers.map((layer) => `src/${layer}/tsconfig.json`)
  const features = join(root, 'src', 'features')
  const packages = new Map(
    globSync('**/index.ts', { cwd: features }).map((file) => [
      relative(features, dirname(join(features, file))),
      readFileSync(join(features, file), 'utf8'),
    ]),
  )
  const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const reports = readReports(root, projects)
  const metrics = reports.metrics.map(({ name }) => name)
  const files = new Map([
    ...renderReports(reports),
    renderCompatibility({ kinds: customKinds, metrics }),
    renderFeatureGates(),
    renderTasks(),
    renderReleaseGraph(readFileSync(join(root, 'manifests', 'upgradePatches.json'), 'utf8')),
    ['ARCHITECTURE.md', withFeatureTable(architecture, packages)],
  ])
  return { files, metrics }
}
