/**
 * Two geometries are too much work. What a client sends or stores can cause it, so it is never a
 * defect: whoever runs the query catches it and refuses the request.
 */
export class GeometryProblem extends Error {
  override readonly name = "GeometryProblem";
}
