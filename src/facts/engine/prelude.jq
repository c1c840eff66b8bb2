# What PromQL users expect, over the records of the readers `prometheus-api` and `prometheus-text`.
# An empty vector is no value, never 0.

# The elements of an instant vector.
def vector:
  if isobject and .resultType == "vector" then .result else error("an instant vector is due") end;

def vector_of(elements): { resultType: "vector", result: [elements] };

# The number of one element.
def sample:
  if has("value") then .value[1] | number else error("an element holds a native histogram, not a number") end;

# The label of one element.
def label_value($name): .metric[$name] // error("an element has no label `\($name)`");

# The number of a scalar, or of a vector of one element.
def value:
  if isobject and .resultType == "scalar" then .result[1] | number
  else vector
    | if length == 0 then no_value
      elif length > 1 then error("one value is due, and the vector has \(length) elements")
      else .[0] | sample end
  end;

# The elements that have all of these labels.
def where($labels): vector_of(vector | elements_with($labels)[]);

# The elements of one name.
def series($name): where({ __name__: $name });

# Label → number, sorted by label.
def by($label):
  vector
  | if length == 0 then no_value else . end
  | map({ key: label_value($label), value: sample })
  | group_by(.key)
  | map(if length == 1 then .[0] else error("\(length) elements have the same `\($label)`") end)
  | from_entries;

# Label → [number of f, number of g]: two vectors of the same labels.
def join_on($label; f; g):
  (f | by($label)) as $f | (g | by($label)) as $g
  | if ($f | keys) == ($g | keys) then $f | with_entries(.key as $key | .value = [.value, $g[$key]])
    else error("the vectors differ in `\($label)`: there is no pair for each element") end;

# The buckets of one classic histogram, by bound: [{le: 0.005, count: 3}, …, {le: "+Inf", count: 9}].
def buckets: vector | buckets_of_elements;

# Label → the buckets of its histogram.
def buckets($label):
  vector
  | if length == 0 then no_value else . end
  | group_by(label_value($label))
  | map({ key: (.[0] | label_value($label)), value: buckets_of_elements })
  | from_entries;

# Over `buckets`: PromQL's quantile.
def quantile($q): map([(.le | number), .count]) | quantile_of_buckets($q);

# Over `buckets`: the upper bound of the bucket that holds the quantile.
def quantile_bound($q): (.[-1].count * $q) as $rank | first(.[] | select(.count >= $rank)).le;

def histogram_quantile($q): buckets | quantile($q);
def histogram_quantile($q; $label): buckets($label) | map_values(quantile($q));

# YAML that is kept in a string.
def inner($key): .[$key] | from_yaml;
