/**
 * Recognizes that a cluster runs CDI, so that ours stands down: its kinds, its webhooks and its
 * controllers are left alone. `isForeignDefinition` decides by a CRD, `createForeignCdi` asks the
 * cluster, `unlessForeign` keeps a reconciler from acting, and `unlessForeignMetrics` metrics from
 * being reported twice.
 */
export {
  cdiGroup,
  createForeignCdi,
  isForeignDefinition,
  unlessForeign,
  unlessForeignMetrics,
  type ForeignCdi,
  type ReadMetrics,
} from './foreign-cdi.ts'
