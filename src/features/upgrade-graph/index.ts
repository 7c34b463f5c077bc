/**
 * Upgrade graphs of file-based catalogs of the Operator Lifecycle Manager (OLM).
 * `readCatalogFiles()` reads a catalog as opm does, `checkGraph()` builds its graph and finds what
 * is wrong with it, in the way in which OLM v0 or v1 chooses upgrades, `findRoute()` answers for
 * two versions, `upgradeLanes()` lists the upgrades to be tested, and `render/` draws the graph. It
 * reads no files and writes none: `steadyvm graph` and the generator of our own graph do.
 */
export { catalogOf, type BundleProperty, type CatalogChannel, type CatalogObject, type ChannelEntry } from './catalog/catalog.ts'
export { judgeChannel } from './catalog/channel-graph.ts'
export { CatalogUnreadable, readCatalog, readCatalogFiles, type CatalogContents, type CatalogFile } from './catalog/read-catalog.ts'
export { problemText, validateCatalog } from './catalog/validate-catalog.ts'
export { checkGraph, type CheckedGraph, type CheckOptions } from './check-graph.ts'
export { checkRules, type CheckId, type GraphSeverity } from './checks/rules.ts'
export { findingOf, type GraphFinding } from './checks/finding.ts'
export { findRoute, findVersions, type Route } from './paths/route.ts'
export { laneCount, upgradeLanes, type UpgradeLane } from './paths/lanes.ts'
export { drawingOf, edgeCount, type Drawing } from './render/drawing.ts'
export { scopeReports, type ScopeReport } from './render/document.ts'
export { renderDot } from './render/dot.ts'
export { renderMermaid } from './render/mermaid.ts'
export { renderSvg } from './render/svg.ts'
export { parseVersionConstraint, VersionConstraintError } from './semantics/version-constraint.ts'
