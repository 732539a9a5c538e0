// A JSON text for people.
#ifndef FLYBALL_CLI_INFO_H
#define FLYBALL_CLI_INFO_H

// Prints an object as lines "key  value", indented by depth; texts of many lines as their size. What is not JSON as
// fly_json writes it is printed as it is.
void info_print_json(const char *json);

#endif
